#define BOOST_TEST_MODULE goldsmith
#include <boost/test/unit_test.hpp>

#ifdef GOLDSMITH_SANITIZED
// AddressSanitizer asks for it. Of memory that is free it keeps 4 MB instead of 256, so that less
// has to be copied for each of the thousands of processes that tests start: a third of the time of
// those that compile.
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=4"; }
#endif
