# Reproduces small tables and checks the page in a browser. Debian's own Python is
# used because python3-selenium is installed for it.
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${PROGRAM} reproduce --experiments ${TESTS}/experiments --movielens ${TESTS}/data
    --tables 1,2,3,4,5,grid --runs 3 --out ${WORK})
run(/usr/bin/python3 ${TESTS}/report_page_test.py ${WORK}/report.html ${WORK}/screenshots 1 2 3 4 5)
