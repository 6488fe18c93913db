#define BOOST_TEST_MODULE goldsmith
#include <boost/test/unit_test.hpp>
