# Compiles through ccache where it is installed. A second clone of the same
# sources finds what the first has compiled: paths below the sources count
# relative to the build folder, and the build folder itself does not count.
# (Build folders lie directly below the sources, so that these paths agree.) What
# a source includes is taken from the compiler's list, so that a source that is
# not in the cache is not preprocessed twice.
find_program(MANYARMS_CCACHE ccache)
if(MANYARMS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
    ${MANYARMS_CCACHE})
endif()
