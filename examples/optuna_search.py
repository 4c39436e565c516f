"""Tunes two numbers of a policy with Optuna: pip install optuna, then
python3 examples/optuna_search.py CORPUS CACHE [trials]"""
import json
import subprocess
import sys

import optuna

corpus, cache, trials = sys.argv[1], sys.argv[2], int((sys.argv + ["50"])[3])
nearme = subprocess.Popen(
    [".build/release/nearme", "evaluate", corpus, "--cache", cache, "--monitor", "stream", "--stdin"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def objective(trial):
    policy = {"arrival": {"detector": "posterior",
                          "threshold": trial.suggest_float("threshold", 0.1, 0.8),
                          "hold": f"{trial.suggest_int('hold', 0, 120, step=10)}s"}}
    print(json.dumps(policy), file=nearme.stdin, flush=True)
    scores = json.loads(nearme.stdout.readline())
    return scores["recall_5min"] - 10 * max(0, scores["fpr"] - 0.02)


study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
study.optimize(objective, n_trials=trials)
print(study.best_value, study.best_params)
