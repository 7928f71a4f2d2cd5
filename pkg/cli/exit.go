package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"voice-input/pkg/wire"
)

// Status is a program's exit status. The numbers are those of sysexits(3),
// which systemd shows by name; 1 means that the answer is "nothing".
type Status int

// The one table of statuses. A status that is not in it is a failure too.
const (
	StatusOK          Status = 0
	StatusNothing     Status = 1
	StatusUsage       Status = 64
	StatusData        Status = 65
	StatusNoInput     Status = 66
	StatusUnavailable Status = 69
	StatusSoftware    Status = 70
	StatusOSFile      Status = 72
	StatusCantCreate  Status = 73
	StatusIO          Status = 74
	StatusTempFail    Status = 75
	StatusProtocol    Status = 76
	StatusNoPerm      Status = 77
	StatusConfig      Status = 78
)

// Statuses lists the table in order, with the name and the meaning that the
// manual gives.
var Statuses = []struct {
	Status        Status
	Name, Meaning string
}{
	{StatusOK, "OK", "a record with reason ok was written, or the request was carried out"},
	{StatusNothing, "NOTHING", "it worked and the answer is nothing; the record is still written"},
	{StatusUsage, "USAGE", "wrong flags or operands, or a terminal where a record is needed"},
	{StatusData, "DATAERR", "a record or audio that cannot be read"},
	{StatusNoInput, "NOINPUT", "no such file or device"},
	{StatusUnavailable, "UNAVAILABLE", "a service or a program is absent"},
	{StatusSoftware, "SOFTWARE", "a fault of this program"},
	{StatusOSFile, "OSFILE", "an installed file is missing or damaged"},
	{StatusCantCreate, "CANTCREAT", "a file or socket cannot be created"},
	{StatusIO, "IOERR", "reading or writing failed"},
	{StatusTempFail, "TEMPFAIL", "it took too long or is busy; trying again may work"},
	{StatusProtocol, "PROTOCOL", "the other side answered nonsense"},
	{StatusNoPerm, "NOPERM", "a key is missing or was refused, or access was denied"},
	{StatusConfig, "CONFIG", "the configuration file is wrong"},
}

// Error is an error with the status that the program ends with and, if there
// is something that the user can do, a hint.
type Error struct {
	Status Status
	Err    error
	Hint   string
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error without its status.
func (e *Error) Unwrap() error { return e.Err }

// WithHint returns a copy of e with a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// Errorf returns an *Error with a status. The message says what was tried,
// on which object, and the cause.
func Errorf(status Status, format string, args ...any) *Error {
	return &Error{Status: status, Err: fmt.Errorf(format, args...)}
}

// ErrNothing ends a program with status 1 and no message: it worked, and its
// record says why there is nothing.
var ErrNothing = errors.New("nothing")

// StatusOf is the one place that maps an error to a status.
func StatusOf(err error) Status {
	var withStatus *Error
	var data *wire.Error
	switch {
	case err == nil:
		return StatusOK
	case errors.Is(err, ErrNothing):
		return StatusNothing
	case errors.As(err, &withStatus):
		return withStatus.Status
	case errors.As(err, &data), errors.Is(err, wire.ErrLineTooLong):
		return StatusData
	case errors.Is(err, fs.ErrNotExist):
		return StatusNoInput
	case errors.Is(err, fs.ErrPermission):
		return StatusNoPerm
	case errors.Is(err, context.DeadlineExceeded):
		return StatusTempFail
	default:
		return StatusSoftware
	}
}
