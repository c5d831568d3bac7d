/* SPDX-License-Identifier: MIT */
/*
 * The operators. Each function adds a node to the graph and returns its number;
 * after a failure (shapes that do not fit, out of memory) it returns -1, and so
 * do all later calls, so that a model is built in a row and checked once, by
 * bt_graph_done.
 *
 * Letters: T tokens of the batch, B sequences, H columns of a value, n(t)
 * tokens of sequence t; L is the loss, dX is dL/dX. drop(x) is inverted
 * dropout: each element is 0 with probability p and x/(1-p) otherwise while
 * training, x at inference. The mask is a function of (seed, step, node, row,
 * column).
 */
#ifndef BT_OP_OPS_H
#define BT_OP_OPS_H

#include <math.h>

#include "op/graph.h"

/*
 * Z = word[id] + position[pos] + type[segment];  Y = drop(norm(Z))
 * with norm as in bt_op_residual_norm, or without gamma Y = Z.   -> Y: (T,H)
 * Positions are position0, position0 + 1, ... in each sequence. Where position0
 * is not 0, padding tokens (that a sequence may hold) are not counted; they
 * stand at position0 - 1. Backward: dZ as there; its rows are added to the rows
 * that were read, save those of the padding token and its position, whose
 * gradients are 0.
 */
int bt_op_embed(struct bt_graph *g, const struct bt_embed_args *a);

/*
 * Y = act(X W' + b)   X: (R,K), W: (N,K), b: (N) -> Y: (R,N); ' transposes.
 * Without b where bias is -1.
 * W may be `parts` parameters that stand one behind the other and are taken as
 * one, as may b: the projections to queries, keys and values are one product.
 * Backward: dA = dY * act'(A), dX = dA W, dW = dA' X, db = column sums of dA.
 */
int bt_op_linear(struct bt_graph *g, int x, int weight, int bias, int parts,
                 enum bt_activation act);

/*
 * The row of R for a key that stands so many tokens behind (negative: before)
 * its query [Raffel et al. 2019, "Exploring the Limits of Transfer Learning
 * with a Unified Text-to-Text Transformer"]: each side has half of them, for
 * the distances below 8 one each, for those to 128 by their logarithm.
 */
#define BT_RELATIVE_BUCKETS 32
int bt_relative_bucket(int distance);

/*
 * For each sequence and head, over that sequence's tokens only:
 *   S = Q K' / sqrt(d), P = softmax of S's rows, O = drop(P) V
 *
 * Head h's Q are the columns from q_col + h head_step on, as are K and V. With
 * a head_step of more than d each head has as many columns of its own, with Q,
 * K and V within. With fewer kv_heads, each is the K and V of heads / kv_heads
 * heads, one behind the other [Ainslie et al. 2023, "GQA: Training Generalized
 * Multi-Query Transformer Models from Multi-Head Checkpoints"].
 *
 * With R, S(i,j) has R(bucket(j - i), head) added.
 *
 * With rope.theta, token i's query and key are rotated first [Su et al. 2021,
 * "RoFormer: Enhanced Transformer with Rotary Position Embedding"]: of a head's
 * columns c and c + d/2, or with neighbours 2c and 2c + 1, by the angle i r(c),
 * and multiplied with rope.scale,
 *   r(c) = ((1 - w) + w / factor) / theta^(2c/d), d even,
 *   w = (c - low) / (high - low), clipped to 0 .. 1
 * [Peng et al. 2023, "YaRN: Efficient Context Window Extension of Large
 * Language Models"].
 *
 * With a window, S(i,j) is minus infinity where |i - j| is more than it.
 *
 * With relative positions [He et al. 2021, "DeBERTa: Decoding-enhanced BERT
 * with Disentangled Attention"], r = row(i - j) and KP and QP that node's
 * columns, S(i,j) = (Q(i) K(j)' + Q(i) KP(r)' + K(j) QP(r)') / sqrt(d m) where
 * m counts the products, 1 to 3. Q's rows are all tokens of the sequence, or
 * its first's where q is per sequence.
 *
 * -> (rows of q, heads * d)
 * Backward: dV = drop(P)' dO, dP = drop'(dO V'), dS = P * (dP - rowsum(P *
 * dP)), dQ = dS K / sqrt(d), dK = dS' Q / sqrt(d), both rotated back, dR = sums
 * of dS over the pairs of each bucket; dKP and dQP are the sums of dS Q and
 * dS K, scaled, over the pairs of each row. P is recomputed from Q, K and
 * the saved logarithms of the rows' sums.
 */
int bt_op_attention(struct bt_graph *g, const struct bt_attention_args *a);

/*
 * Z = residual + drop(x);  Y = gamma * (Z - mean) / sqrt(var + eps) + beta
 * with mean and (biased) variance over the columns of each row.
 * residual, x: (R,H) -> Y: (R,H)   [Ba et al. 2016, "Layer Normalization"]
 * Backward, with N = (Z - mean) r, r = 1/sqrt(var + eps), G = gamma * dY:
 *   dZ = r (G - mean(G) - N mean(G * N)), dgamma = sum of dY * N over the rows,
 *   dbeta = sum of dY, dresidual = dZ, dx = drop'(dZ).
 */
int bt_op_residual_norm(struct bt_graph *g, int residual, int x, int gamma,
                        int beta, float eps, float dropout);

/*
 * Y = norm(X), as in bt_op_residual_norm; beta may be -1, for 0.
 * (R,H) -> (R,H)
 */
int bt_op_norm(struct bt_graph *g, int x, int gamma, int beta, float eps);

/*
 * The same with a mean of 0: Y = gamma * X / sqrt(mean(X^2) + eps).
 * (R,H) -> (R,H)   [Zhang, Sennrich 2019, "Root Mean Square Layer
 * Normalization"]
 */
int bt_op_rms_norm(struct bt_graph *g, int x, int gamma, float eps);

/*
 * Y = residual + drop(x).   (R,H), (R,H) -> (R,H)
 * Backward: dresidual = dY, dx = drop'(dY).
 */
int bt_op_add(struct bt_graph *g, int residual, int x, float dropout);

/*
 * Rows of a table of relative positions (2 span, H): those that the batch's
 * longest sequence needs, from the farthest key behind its query to the
 * farthest before it.   -> (relative positions, H)   [He et al. 2021, DeBERTa]
 * bt_relative_position_row gives the row for the distance d = query - key:
 *   row(d) = span + b(d), clipped to the table
 *   b(d) = d                                   if buckets <= 0 or |d| <= mid
 *   b(d) = sign(d) (mid + ceil(log(|d| / mid) / log((max - 1) / mid)
 *                              (mid - 1)))     else
 * with mid = buckets / 2.
 * Backward: the gradients of these rows; those of the others are 0.
 */

int bt_relative_position_row(const struct bt_relative_args *p, int distance);
int bt_op_relative_positions(struct bt_graph *g,
                             const struct bt_relative_args *p);

/*
 * Y = act(A) * B, where A is the left half of X's columns and B the right one;
 * or A the right one, where gate_last.
 * (R,2H) -> (R,H)   [Shazeer 2020, "GLU Variants Improve Transformer"]
 * Backward: dA = dY * B * act'(A), dB = dY * act(A).
 */
int bt_op_glu(struct bt_graph *g, int x, enum bt_activation act,
              bool gate_last);

/*
 * Y = act(X + scale * D), where D has the columns of change k from col[k] on,
 * and 0 where no change has any: what adapters add to a product [Hu et al.
 * 2021, "LoRA: Low-Rank Adaptation of Large Language Models"]. With no changes,
 * a copy of X that several nodes may read, each adding to its gradient.
 * X: (R,H), change k: (R,N(k)) -> (R,H)
 * Backward: dX = dY * act'(X + scale * D), and change k gets scale * these
 * columns of it.
 */
int bt_op_adapt(struct bt_graph *g, int x, int n, const int *change,
                const int *col, float scale, enum bt_activation act);

/* The first token's row of each sequence: (T,H) -> (B,H). */
int bt_op_first(struct bt_graph *g, int x);

/* The rows of the M tokens that the batch selects: (T,H) -> (M,H). Backward:
 * the other tokens get 0. */
int bt_op_select(struct bt_graph *g, int x);

/*
 * Over the tokens of each sequence: the mean of their rows, or the largest
 * value of each column.   (T,H) -> (B,H) Backward: every token of sequence t
 * gets dY(t) / n(t), or for each column the first token that has the largest
 * value gets dY(t).
 */
int bt_op_mean(struct bt_graph *g, int x);
int bt_op_max(struct bt_graph *g, int x);

/*
 * All of a sequence as one row: (T,H) -> (B,length H). Every sequence of the
 * batch must have `length` tokens, so that Y is X in another shape. Backward:
 * so is dX.
 */
int bt_op_flatten(struct bt_graph *g, int x, int length);

/* Of 16 random bits those below the threshold drop an element; what is left is
 * multiplied by the scale. */
static inline uint32_t bt_dropout_threshold(float probability)
{
	long threshold = lrintf(65536.0f * probability);

	return threshold > 65535 ? 65535 : (uint32_t)threshold;
}

static inline float bt_dropout_scale(uint32_t threshold)
{
	return 65536.0f / (float)(65536 - threshold);
}

/* Y = drop(X). */
int bt_op_dropout(struct bt_graph *g, int x, float dropout);

/*
 * Softmax cross entropy against a class y(t) for each row, of a sequence or of
 * a token (all or those selected), weighted by w(t), which is its sequence's; a
 * row whose class is
 * negative does not count: L = scale * sum over t of w(t) * -(sum over k of
 * q(k) log softmax(x)(k)) q is 1 for class y, with label smoothing s: 1 - s +
 * s/K for y, s/K else, and with weights c of the classes c(k) times that, as
 * torch.nn.CrossEntropyLoss has it. w, scale, s and c come with the batch.
 * Backward: dX = scale w (sum(q) softmax(x) - q).
 * With a teacher's probabilities z(t) at the temperature T, and its weight a,
 * which come with the batch, too [Hinton, Vinyals, Dean 2015, "Distilling the
 * Knowledge in a Neural Network"]:
 *   L = scale * sum over t of w(t) * ((1 - a) * (the cross entropy above)
 *       + a T^2 * sum over k of z(k) (log z(k) - log softmax(x / T)(k)))
 *   dX = scale w ((1 - a) (sum(q) softmax(x) - q) + a T (softmax(x / T) - z))
 * where c(y) multiplies the second term, and below those with a.
 * Without a teacher, two passes over each text, whose dropout differs, may be
 * drawn together [Liang et al. 2021, "R-Drop: Regularized Dropout for Neural
 * Networks", 2.1]: with a > 0 of the batch, and rows 2i and 2i + 1 of one text,
 * of which this one has p = softmax(x) and the other one r,
 *   L = ... + scale * sum over t of w(t) a (KL(p, r) + KL(r, p)) / 2
 *   dX = ... + scale w a (p (log p - log r - KL(p, r)) + p - r)
 * with KL(p, r) = sum over k of p(k) (log p(k) - log r(k)). A last row that is
 * alone has the cross entropy.
 */
int bt_op_softmax_loss(struct bt_graph *g, int logits);

/*
 * The same for logits of sequences beside those of tokens, with labels and a
 * scale of their own and no smoothing or teacher: whether the second segment of
 * a sequence follows the first [Devlin et al. 2018, "BERT", 3.1]. The losses of
 * a graph add up.
 */
int bt_op_next_loss(struct bt_graph *g, int logits);

/*
 * Keras' cross entropy normalizes outputs that are not logits:
 *   S = sum of X's row, P = X / S, Y = log C   (B,K) -> (B,K)
 * with C = P clipped to [e, 1 - e], e = 1e-7. Where S is not above 0, P is 0.
 * Backward: with D = dY where P was within, else 0, dX = D / X - sum(D) / S.
 * Except where a value was clipped, exp(Y) equals softmax(Y).
 */
#define BT_KERAS_EPSILON 1e-7
int bt_op_log_normalize(struct bt_graph *g, int x);

/*
 * Cross entropy of logarithms of probabilities, (B,K), with w, scale and q as
 * in bt_op_softmax_loss:
 *   L = scale * sum over t of w(t) * -(sum over k of q(k) x(k))
 * Backward: dX = -scale w q.
 */
int bt_op_log_loss(struct bt_graph *g, int x);

/*
 * Squared error of K numbers against targets y for each sequence, weighted:
 *   L = scale * sum over t of w(t) / K * sum over k of (x(k) - y(k))^2
 * with x, y: (B,K). Backward: dx = 2 scale w / K (x - y). With a teacher's
 * numbers z and its weight a the square is (1 - a) (x - y)^2 + a (x - z)^2.
 */
int bt_op_square_loss(struct bt_graph *g, int x);

/*
 * Cross entropy of K logits that each stand for a class of its own, on or off,
 * y being 1 or 0 (B,K):
 *   L = scale * sum over t of w(t) / K * sum over k of
 *       -(p(k) y(k) log s(x(k)) + (1 - y(k)) log(1 - s(x(k))))
 * with s(x) = 1 / (1 + exp(-x)) and weights p of the positives, which come with
 * the batch. Backward: dx = scale w / K ((1 - y + p y) s(x) - p y).
 * With a teacher, as in bt_op_softmax_loss, each label has two classes, whose
 * probabilities are s(x / T) and 1 - s(x / T), z and 1 - z.
 */
int bt_op_sigmoid_loss(struct bt_graph *g, int logits);

/*
 * Cross entropy of the first and the last token of an answer (Devlin et al.
 * 2018, "BERT", 4.2): X (T,2) holds two logits a token, y (B,2) the numbers of
 * both tokens in their sequence:
 *   L = scale * sum over t of w(t) / 2 * sum over c of
 *       -log softmax of t's tokens(x(., c))(y(t,c))
 * Backward: dx = scale w / 2 (softmax - 1 at y, softmax elsewhere).
 */
int bt_op_span_loss(struct bt_graph *g, int logits);

/*
 * Cross entropy of the right one among the choices of a question: X (B,1) holds
 * a score of each, those of a question one behind the other; y (B,2) the number
 * of the right one, and how many there are. W is the sum of their weights w:
 *   L = scale * sum over questions of W * -log softmax of its x at the right
 * one Backward: dx = scale W (softmax - 1 at the right one, softmax elsewhere).
 */
int bt_op_choice_loss(struct bt_graph *g, int scores);

/*
 * The loss of embeddings X (B,H) by their cosines. Sequences come in groups:
 * the label of the first one, an anchor, is 0, those of the texts that it is
 * compared with are 1, 2, ...; a group's weight W is the sum of its sequences'.
 * Four losses, of which the batch chooses one; k is BT_EMBEDDING_SCALE:
 *
 * RANKING: the text 1 of an anchor is to be nearer than all other texts of the
 * batch that are no anchors, C [Henderson et al. 2017, "Efficient Natural
 * Language Response Suggestion for Smart Reply"]:
 *   L = scale * sum over anchors i of W(i) *
 *       -log softmax over c in C (k cos(i, c)) at i's text 1
 * without the c whose tokens are those of the anchor or of its text 1.
 *
 * CLASSES: RANKING of groups of two, and the label of both is a class; without
 * the c, too, of the anchor's class.
 *
 * COSENT: of two groups, that with the larger target y is to have the larger
 * cosine of its texts 0 and 1, s [Su 2022, "CoSENT"]:
 *   L = scale * (sum of W) * log(1 + sum over i, j with y(i) < y(j) of
 *       exp(k s(i) - k s(j)))
 *
 * COSINE: L = scale * sum over i of W(i) * (s(i) - y(i))^2
 *
 * With dimensions d1, d2, ... the loss is the sum of that of X and that of the
 * first d columns of X for each d [Kusupati et al. 2022, "Matryoshka
 * Representation Learning"].
 *
 * Backward: with N = X / |X| and dN the gradient by N,
 * dX = (dN - N (N . dN)) / |X|.
 */
#define BT_MATRYOSHKA_MAX 16 /* dimensions */
struct bt_matryoshka {
	size_t n, dim[BT_MATRYOSHKA_MAX];
};
enum bt_embedding_loss {
	BT_EMBEDDING_RANKING,
	BT_EMBEDDING_COSENT,
	BT_EMBEDDING_COSINE,
	BT_EMBEDDING_CLASSES
};
#define BT_EMBEDDING_SCALE 20
int bt_op_embedding_loss(struct bt_graph *g, int embeddings);

/* Whether a graph's loss is of texts that belong together: the labels are their
 * numbers in their group, which a batch has whole. */
bool bt_op_groups(const struct bt_graph *g);

/* Whether it compares all texts of a batch, and is no sum over groups. */
bool bt_op_compares_all(const struct bt_graph *g, enum bt_embedding_loss loss);

#endif
