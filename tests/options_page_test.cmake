# Fails if the page is not what the program prints.
execute_process(COMMAND ${PROGRAM} options --markdown OUTPUT_VARIABLE made COMMAND_ERROR_IS_FATAL ANY)
file(READ ${PAGE} page)
if(NOT made STREQUAL page)
  message(FATAL_ERROR "${PAGE} is out of date; make it anew: build/manyarms options --markdown >docs/options.md")
endif()
