# Writes the current commit of SOURCE into HEADER. Leaves HEADER alone if it is
# up to date, so that nothing is recompiled.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(commit STREQUAL "")
  set(commit "unknown")
endif()
set(text "#pragma once\n\nnamespace manyarms::reproduction {\n\ninline constexpr char kCommit[] = \"${commit}\";\n\n}  // namespace manyarms::reproduction\n")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL "${before}")
  file(WRITE ${HEADER} "${text}")
endif()
