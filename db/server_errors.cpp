// What the numbers of errors of the server and its client mean (connection.hpp).
#include <string>

#include <cppconn/exception.h>
#include <fmt/core.h>

#include "db/connection.hpp"

namespace goldsmith::db {

// Numbers from MySQL's and MariaDB's error references: 1xxx, 3xxx and 4xxx are the server's, 2xxx
// the client library's.
Error::Kind error_kind(int code) {
  switch (code) {
    case 1040:  // too many connections
    case 1129:  // host blocked after too many failed connections
    case 1203:  // too many connections of this user
    case 1290:  // read_only
    case 1836:  // read-only mode
      return Error::Kind::unavailable;
    case kTlsError:
    case 3159:  // the server demands TLS
      return Error::Kind::untrusted;
    case 1044:  // no access to the schema
    case 1045:  // wrong user or password
    case 1142:  // no privilege on the table
    case 1143:  // no privilege on the column
    case 1227:  // no such global privilege
    case 1370:  // no privilege on the routine
    case 1698:  // wrong user or password, without a password given
      return Error::Kind::denied;
    case 1062:  // unique key
    case 1586:  // unique key, named
      return Error::Kind::duplicate;
    case 1048:  // column can't be NULL
    case 1216:  // foreign key, child
    case 1217:  // foreign key, parent
    case 1264:  // number out of range
    case 1265:  // value not of the column's type
    case 1292:  // invalid date
    case 1366:  // invalid UTF-8 or number
    case 1406:  // text too long
    case 1451:  // foreign key, parent, with its name
    case 1452:  // foreign key, child, with its name
    case 3819:  // CHECK, MySQL
    case 4025:  // CHECK, MariaDB
      return Error::Kind::constraint;
    case 1020:  // the row has changed since it was read, MariaDB
    case 1213:  // deadlock, or another node of the cluster was faster
    case 1412:  // the table was altered since the transaction began
      return Error::Kind::conflict;
    case 1205:  // lock wait
    case 1317:  // statement interrupted
    case 1969:  // max_statement_time, MariaDB
    case 3024:  // max_execution_time, MySQL
      return Error::Kind::timeout;
    default:
      return is_connection_lost(code) ? Error::Kind::unavailable : Error::Kind::other;
  }
}

bool is_connection_lost(int code) {
  switch (code) {
    case kNotReady:
    case 1180:  // error during COMMIT: the node has lost its cluster
    case 1053:  // the server is shutting down
    case 1080:  // the server closes the connection
    case 1243:  // unknown prepared statement: it belongs to another session
    case 1927:  // killed, MariaDB
    case 2002:  // can't connect to the socket
    case 2003:  // can't connect to the host
    case 2005:  // unknown host
    case 2006:  // gone away
    case 2012:  // error in the handshake
    case 2013:  // lost during the query
    case 2030:  // statement not prepared
    case 2055:  // lost, with the system's error
    case 4031:  // closed for inactivity, MySQL
      return true;
    default:
      return false;
  }
}

bool is_read_only(int code) { return code == 1290 || code == 1836; }

namespace {

// What a server with a full disk answers, depending on what it was about to write.
bool may_lack_room(int code) {
  switch (code) {
    case 3:     // a file
    case 1021:  // a temporary table
    case 1030:  // a file of the storage engine
    case 1034:  // an index, which it calls corrupt
    case 1114:  // a table
    case 1296:  // a temporary file of the storage engine
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string describe(const sql::SQLException& exception) {
  std::string text = exception.what();
  if (exception.getErrorCode() != 0) {
    text += fmt::format(" (MySQL error {}, SQLSTATE {})", exception.getErrorCode(),
                        exception.getSQLState());
  }
  if (may_lack_room(exception.getErrorCode())) text += "; is the disk of the database server full?";
  return text;
}

bool ends_transaction(int code) { return error_kind(code) == Error::Kind::conflict; }

}  // namespace goldsmith::db
