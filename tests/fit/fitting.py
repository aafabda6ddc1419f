"""Least squares on the logarithm of time with a soft L1 loss, and leave-groups-out errors."""

import csv
import pathlib

import numpy as np
from scipy.optimize import least_squares

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared" / "reference" / "measurements"


def rows_of(name, directory=None):
    with open((directory or SHARED) / name, newline="") as file:
        return list(csv.DictReader(file))


def fit(predict, measured, fields, start, low, high, scale=0.08, prior=0.0, weight=1.0, others=()):
    """predict(constants) -> seconds. Returns the constants (a dict) within the bounds. `prior` pulls every constant to
    its start (relative), for data that do not tell all of them; `weight` scales the rows; `others` are further starts
    (dicts of what differs), since the valleys are curved."""
    log_measured = np.log(measured)
    lo, hi = (np.array([d[f] for f in fields], float) for d in (low, high))
    best, best_unit = None, None
    for change in ({},) + tuple(others):
        x0 = np.array([{**start, **change}[f] for f in fields], float)
        unit = np.where(np.abs(x0) > 0, np.abs(x0), 1.0)

        def residual(z):
            rows = weight * np.clip(np.log(predict(dict(zip(fields, z * unit)))) - log_measured, -5, 5)
            return np.concatenate([rows, prior * (z - x0 / unit)]) if prior > 0 else rows

        found = least_squares(residual, np.clip(x0, lo, hi) / unit, bounds=(lo / unit, hi / unit), loss="soft_l1", f_scale=scale, max_nfev=600)
        if best is None or found.cost < best.cost:
            best, best_unit = found, unit
    return dict(zip(fields, best.x * best_unit))


def errors(predicted, measured):
    e = predicted / measured - 1.0
    return dict(median=float(np.median(np.abs(e))), p90=float(np.percentile(np.abs(e), 90)), bias=float(np.median(e)), rows=len(e))


def leave_groups_out(predict_rows, fit_rows, measured, groups, folds=2):
    """predict_rows(constants, index), fit_rows(index) -> constants. Groups are dealt into folds; each fold is predicted
    by a fit to the others."""
    keys = sorted(set(groups))
    fold = {k: i % folds for i, k in enumerate(keys)}
    assigned = np.array([fold[g] for g in groups])
    predicted = np.empty(len(measured))
    for f in range(folds):
        out = np.where(assigned == f)[0]
        predicted[out] = predict_rows(fit_rows(np.where(assigned != f)[0]), out)
    return errors(predicted, measured)


def significant(value, digits=3):
    return float(f"{value:.{digits}g}")
