_core.__prefix__:
    import collections.abc
    import os
    import typing
    import typing_extensions
    import numpy
    import numpy.typing
    from manyarms._types import Features, Ids, ManyRows, Mask, OneRow, Row

_core.Bandit.predict:
    @typing.overload
    def predict(self, features: ManyRows, *, context: Row | None = None, contexts: Features | None = None) -> numpy.typing.NDArray[numpy.float64]:
        \doc
    @typing.overload
    def predict(self, features: OneRow, *, context: Row | None = None) -> float: ...

_core.Population.predict:
    @typing.overload
    def predict(self, learner: int | str, features: ManyRows, *, context: Row | None = None, contexts: Features | None = None) -> numpy.typing.NDArray[numpy.float64]:
        \doc
    @typing.overload
    def predict(self, learner: int | str, features: OneRow, *, context: Row | None = None) -> float: ...
