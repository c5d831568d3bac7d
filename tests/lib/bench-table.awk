# SPDX-License-Identifier: MIT
# The table of the README: of the cases with peers in files that hold lines of
# bench.jsonl, tokens a second to three digits. Peers that no case has are left out.
function field(name,   v) {
	if (!match($0, "\"" name "\": \"?[^\",}]*")) return ""
	v = substr($0, RSTART, RLENGTH)
	sub(/^"[^"]*": "?/, "", v)
	return v
}
# 10380: 10,400
function number(n,   digits, s) {
	if (n == "") return ""
	for (digits = 1; n / digits >= 1000; digits *= 10);
	n = sprintf("%d", int(n / digits + .5) * digits)
	for (s = ""; length(n) > 3; n = substr(n, 1, length(n) - 3))
		s = "," substr(n, length(n) - 2) s
	return n s
}
# train-minilm-bf16-32, predict-long-512-int8, train-qa-f32; the type may be missing
function title(c,   part, n, model, type, batch) {
	n = split(c, part, "-")
	if (part[n] ~ /^[0-9]+$/) batch = part[n--]
	if (part[n] in types) type = ", " part[n--]
	model = part[2]
	if (n > 2) model = model "-" part[3]
	if (model in task) return "train MiniLM for " task[model] type
	if (model in names) model = names[model]
	if (sub(/^long-/, "texts of ", model))
		model = "ModernBERT of 6 x 384, " model " tokens"
	return part[1] (part[1] == "predict" ? " with " : " ") model type \
		(batch ? ", batches of " batch : "")
}
BEGIN {
	task["tagging"] = "tags of words (CoNLL-2003), batches of 32"
	task["qa"] = "answers (XQuAD), batches of 8"
	task["embedding"] = "embeddings, 32 pairs"
	task["masked-lm"] = "masked tokens, batches of 32"
	names["minilm"] = "MiniLM"
	names["base"] = "BERT-base"
	names["large"] = "BERT-large"
	types["f32"] = types["bf16"] = types["int8"] = 1
	n_sides = split("tokens_per_s torch torch-sorted ort-sorted openvino-sorted llama.cpp", side, " ")
	split("bertutils|PyTorch|PyTorch, sorted|ONNX Runtime, sorted|OpenVINO, sorted|llama.cpp", head, "|")
}
/^ *\{"case": "(train|predict)-/ {
	for (i = 2; i <= n_sides && field(side[i]) == ""; i++);
	if (i > n_sides) next
	rows++
	name[rows] = title(field("case"))
	for (i = 1; i <= n_sides; i++) {
		cell[rows, i] = number(field(side[i]))
		if (cell[rows, i] != "") there[i] = 1
	}
}
END {
	printf "| |"
	for (i = 1; i <= n_sides; i++) if (there[i]) printf " %s |", head[i]
	printf "\n|---|"
	for (i = 1; i <= n_sides; i++) if (there[i]) printf "---|"
	print ""
	for (r = 1; r <= rows; r++) {
		printf "| %s |", name[r]
		for (i = 1; i <= n_sides; i++) if (there[i]) printf cell[r, i] == "" ? " |" : " %s |", cell[r, i]
		print ""
	}
}
