/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Two bytes, and a file of Model Garden's meta data, of which plans of training
 * are made. */
#include "fuzz.h"

#include "garden/input_meta.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t sizes[] = {1, 2, 3, 32, 1000000, 1000000000};
	unsigned a = fuzz_byte(&data, &size), b = fuzz_byte(&data, &size);
	int64_t epochs = sizes[a % 5], per_epoch = sizes[a / 5 % 5];
	int64_t batch = sizes[b % 6], most = b / 6 % 2 != 0 ? b : 0;
	struct bt_error err = {0}, why = {0};
	struct bt_meta_plan p;
	struct bt_meta m;

	fuzz_put("meta", data, size);
	if (fuzz_told(bt_meta_read("meta", &m, &err), &err) != BT_OK)
		return 0;
	FUZZ_CHECK(m.labels >= 1 && m.train_size >= 0 && m.eval_size >= 0);
	if (fuzz_told(
	        bt_meta_plan(&m, epochs, per_epoch, batch, most, &p, &why),
	        &why) != BT_OK)
		return 0;
	FUZZ_CHECK(p.epoch_steps > 0 && p.epochs == epochs * per_epoch);
	FUZZ_CHECK(p.steps / p.epochs == p.epoch_steps);
	FUZZ_CHECK(p.warmup >= 0 && p.warmup <= p.steps + p.epochs);
	FUZZ_CHECK(p.epoch_steps <= m.train_size / batch);
	return 0;
}
