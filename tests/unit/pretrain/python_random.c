/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Draws as Python 3's random.Random; what is wanted was printed by it. */
#include "test.h"

#include "pretrain/python_random_int.h"

TEST(draws)
{
	static const struct {
		int64_t seed;
		double real[2];
		uint32_t below[4]; /* randrange of 1, 7, 256, 2**32 - 1 */
	} wanted[] = {
	    {0,
	     {0.8444218515250481, 0.7579544029403025},
	     {0, 0, 132, 4146640122u}},
	    {12345,
	     {0.41661987254534116, 0.010169169457068361},
	     {0, 6, 188, 4001984784u}},
	    {-7,
	     {0.32383276483316237, 0.15084917392450192},
	     {0, 0, 48, 1570621944u}},
	    {4294967301LL,
	     {0.15727238718789782, 0.2824866316461999},
	     {0, 2, 87, 3339782326u}},
	    {INT64_MIN,
	     {0.5534639983914199, 0.9406144709090462},
	     {0, 6, 43, 1533690558u}},
	};
	static const uint32_t most[] = {1, 7, 256, UINT32_MAX};
	struct bt_mt19937 t;
	size_t i, k;

	for (i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		bt_python_random_init(&t, wanted[i].seed);
		for (k = 0; k < 2; k++)
			assert_true(bt_python_random_real(&t) ==
			            wanted[i].real[k]);
		for (k = 0; k < 4; k++)
			assert_int_equal(bt_python_random_below(&t, most[k]),
			                 wanted[i].below[k]);
	}
}

/* Random(3): shuffle() of 0 .. 11, beyond one block of draws. */
TEST(shuffles)
{
	static const uint32_t wanted[] = {5, 10, 11, 7, 8, 1, 4, 6, 9, 0, 2, 3};
	uint32_t v[sizeof(wanted) / sizeof(*wanted)];
	struct bt_mt19937 t;
	uint32_t i, n = sizeof(v) / sizeof(*v);

	bt_python_random_init(&t, 3);
	for (i = 0; i < 1000; i++)
		(void)bt_python_random_real(&t);
	for (i = 0; i < n; i++)
		v[i] = i;
	bt_python_random_shuffle(&t, v, n, sizeof(*v));
	for (i = 0; i < n; i++)
		assert_int_equal(v[i], wanted[i]);
	bt_python_random_shuffle(&t, v, 1, sizeof(*v));
	bt_python_random_shuffle(&t, v, 0, sizeof(*v));
}
