/* SPDX-License-Identifier: MIT */
#ifndef BT_TRAIN_JOB_INT_H
#define BT_TRAIN_JOB_INT_H

#include <jansson.h>

#include "train/job.h"

static inline const struct bt_log *bt_job_log(const struct bt_job *j)
{
	return j->o.train.log;
}

/* Reads the examples and fixes the labels of the model, whose configuration and
 * old labels are set. */
int bt_job_data(struct bt_job *j, struct bt_error *err) BT_MUST_USE;

/* How a model is to embed texts: as was asked for, as it did, or by the mean.
 */
int bt_job_pooling(struct bt_job *j, struct bt_error *err) BT_MUST_USE;

/* Fixes which loss embeddings are trained by, once the examples are read. */
int bt_job_embedding_loss(struct bt_job *j, struct bt_error *err) BT_MUST_USE;

/* Refuses updates in which no pair of texts is compared with others. */
int bt_job_compares(const struct bt_job *j, struct bt_error *err) BT_MUST_USE;

/* Opens the device that the job names, if it does; before there are threads. */
int bt_job_device_open(struct bt_job *j, struct bt_error *err) BT_MUST_USE;
void bt_job_device_close(struct bt_job *j);

/* Compiles what the job runs on its device, where that is to be told. */
int bt_job_costs(struct bt_job *j, struct bt_error *err) BT_MUST_USE;

/* Whether products are of bf16; logs what computes them; tells the log what the
 * device did, if there is one. */
bool bt_job_low(const struct bt_job *j);
void bt_job_log_model(const struct bt_job *j);
void bt_job_device_tell(const struct bt_job *j);

/* The line of the history about the model that was kept: the last one that was
 * the best; NULL where nothing was evaluated. */
int bt_history_best(const struct bt_job *j, const struct bt_train_result *res,
                    json_t **found, struct bt_error *err) BT_MUST_USE;

/* Tells the summary of the log what the run came to. */
int bt_history_tell(const struct bt_job *j, const struct bt_train_result *res,
                    struct bt_error *err) BT_MUST_USE;

#endif
