# Compiles through ccache if it is installed. A second clone of the same sources
# reuses the objects of the first: CCACHE_BASEDIR makes paths relative to the build
# folder, and CCACHE_NOHASHDIR ignores the build folder's own path. (Build folders
# are directly below the sources, so that relative paths agree.) CCACHE_DEPEND takes
# the includes from the compiler's dependency list, so that a source that is not in
# the cache is not preprocessed twice.
find_program(MANYARMS_CCACHE ccache)
if(MANYARMS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
    ${MANYARMS_CCACHE})
endif()
