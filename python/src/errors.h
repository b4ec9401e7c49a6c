#ifndef MANYARMS_PYTHON_ERRORS_H_
#define MANYARMS_PYTHON_ERRORS_H_

namespace manyarms::python {

/// Makes the library's errors appear in Python as those of manyarms/errors.py.
void TranslateErrors();

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_ERRORS_H_
