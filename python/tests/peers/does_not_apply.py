"""Tests of other libraries that do not apply to the adapters, and why.

Names may have wildcards. Left out without being named here are MABWiser's tests that
make a MAB with a policy that is not linear or make none, and river's tests of its own
policies (stand_in.py).
"""

from __future__ import annotations

_DRAWS = "expects the random numbers that NumPy's generator draws for MABWiser"
_EXPLORES = f"{_DRAWS}, by which LinGreedy explores; its expectations are random then, too"
_PRIVATE = "calls private functions of MABWiser"
_LAST_BIT = "expects sums of the rewards in private members, equal to the last bit"
_UNTRIED = (
    "expects that an arm without rewards has the inverse of its width, as MABWiser has "
    "unless l2_lambda is 1"
)
_NO_PENALTY = "needs l2_lambda=0, for which some arm has no unique model"
_NO_BANDIT = "tries policies without contexts only, of which no linear one is left"

_LINGREEDY = "tests/test_lingreedy.py::LinGreedyTest::"
_LINTS = "tests/test_lints.py::LinTSTest::"
_RIDGE = "tests/test_ridge.py::RidgeRegressionTest::"

DOES_NOT_APPLY: dict[str, dict[str, str]] = {
    "mabwiser": {
        **{
            _LINGREEDY + name: _EXPLORES
            for name in (
                "test_df", "test_df_list", "test_epsilon_one", "test_lingreedy_t[1-689]",
                "test_lingreedy_t10", "test_np", "test_unused_arm", "test_unused_arm_scaled",
            )
        },
        **{
            _LINTS + name: _DRAWS
            for name in (
                "test_alpha0_0001", "test_alpha0_0001_expectations", "test_alpha1_expectations",
                "test_df", "test_df_list", "test_fit_twice", "test_lints_t[1-5]",
                "test_lints_t10", "test_np", "test_partial_fit", "test_unused_arm",
                "test_unused_arm2", "test_unused_arm_scale", "test_unused_arm_scaled",
                "test_unused_arm_scaled2",
            )
        },
        "tests/test_parallel.py::ParallelTest::test_linTS*": _DRAWS,
        "tests/test_linucb.py::LinUCBTest::test_unused_arm_scaled": (
            "wants 7 decimals of contexts that are not whole numbers; ours have single "
            "precision, and the result is off by 5.1e-8 where 5e-8 is allowed"
        ),
        _RIDGE + "test_batch_vs_3_partial_fit": _LAST_BIT,
        _RIDGE + "test_partial_different_order": _LAST_BIT,
        _RIDGE + "test_partial_vs_batch_fit": _LAST_BIT,
        _RIDGE + "test_fit_twice_new_features": _NO_PENALTY,
        _RIDGE + "test_l2_0": _NO_PENALTY,
        _RIDGE + "test_l2_high": _UNTRIED,
        _RIDGE + "test_l2_low": _UNTRIED,
        _RIDGE + "test_predict_ridge_scaler": (
            "tests a private class of MABWiser, and fails with MABWiser itself since NumPy "
            "2.4 (a float from an array of one dimension)"
        ),
        "tests/test_invalid.py::InvalidTest::test_convert_*_invalid": _PRIVATE,
        "tests/test_mab.py::MABTest::test_convert_matrix": _PRIVATE,
        "tests/test_mab.py::MABTest::test_set_rng": "reads a private member of MABWiser",
        "tests/test_simulator.py::TestSimulator::test_context_free_*": _NO_BANDIT,
        **{
            f"tests/test_simulator.py::TestSimulator::test_neighbors_simulator_{name}": _NO_BANDIT
            for name in ("bandit_replacement", "neighborhood_size", "neighborhood_stats")
        },
    },
    "river": {
        "tests/model_selection/test_bandit.py::test_bandit_regressor_with_each_policy?Policy?]": (
            "expects that the model with the largest mean squared error is trained: river's "
            "best_model predicts with that one, while ours trains the one with the smallest"
        ),
    },
}
