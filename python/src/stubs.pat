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
    def predict(self, features: ManyRows) -> numpy.typing.NDArray[numpy.float64]:
        \doc
    @typing.overload
    def predict(self, features: OneRow) -> float: ...

_core.Population.predict:
    @typing.overload
    def predict(self, learner: int | str, features: ManyRows) -> numpy.typing.NDArray[numpy.float64]:
        \doc
    @typing.overload
    def predict(self, learner: int | str, features: OneRow) -> float: ...
