_core.__prefix__:
    import collections.abc
    import os
    import typing
    import typing_extensions
    import numpy
    import numpy.typing
    from manyarms._types import Features, Ids, Mask
