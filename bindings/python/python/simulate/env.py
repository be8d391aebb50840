"""A model as an environment for reinforcement learning, in the manner of Gymnasium (which is not needed)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._values import Array, Value

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Env"]


class Env:
    """A model with actions and observations.

    Parameters
    ----------
    model : Model
    actions, observations : list of str
        Inputs and outputs, as for ``Model.stepper``.
    reward : callable
        Returns the reward of an observation and an action.
    done : callable, optional
        Returns whether an episode ends at an observation.
    steps_per_action : int
        The number of steps for which an action is held.
    horizon : int, optional
        The number of actions after which an episode is cut off; by default as many as the model has steps.
    set : dict, optional
        Values of options.
    """

    def __init__(
        self,
        model: Model,
        actions: Sequence[str],
        observations: Sequence[str],
        reward: Callable[[Array, Array], float],
        *,
        done: Callable[[Array], bool] | None = None,
        steps_per_action: int = 1,
        horizon: int | None = None,
        set: Mapping[str, Value] | None = None,
    ) -> None:
        self._stepper = model.stepper(actions, observations, set=set)
        self._reward, self._done = reward, done
        self._held = steps_per_action
        self._horizon = horizon if horizon is not None else max(1, model.steps // steps_per_action)
        self._count = 0

    def reset(self, *, seed: int | None = None, options: object = None) -> tuple[Array, dict[str, Any]]:
        """Begin an episode; the observation is that of the first step with the inputs of the model."""
        self._stepper.reset()
        self._count = 0
        return self._observed(self._stepper.step()), {}

    def step(self, action: npt.ArrayLike) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Hold an action; return observation, reward, whether the episode ended, whether it was cut off, and nothing."""
        held = np.atleast_1d(np.asarray(action, dtype=float))
        seen = self._observed(self._stepper.step(held.tolist(), self._held))
        self._count += 1
        ends = self._stepper.is_over or (self._done is not None and bool(self._done(seen)))
        return seen, float(self._reward(seen, held)), ends, self._count >= self._horizon, {"time": self._stepper.time}

    @staticmethod
    def _observed(values: float | tuple[float, ...]) -> Array:
        return np.atleast_1d(np.asarray(values, dtype=float))
