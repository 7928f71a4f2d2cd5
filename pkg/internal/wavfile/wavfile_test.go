package wavfile

import (
	"encoding/hex"
	"testing"
)

func TestHeader(t *testing.T) {
	const format = "57415645" + "666d7420" + "10000000" + "0100" + "0100" + "803e0000" + "007d0000" + "0200" + "1000" + "64617461"
	for size, want := range map[int64]string{
		0:            "52494646" + "24000000" + format + "00000000",
		32000:        "52494646" + "247d0000" + format + "007d0000",
		Unknown - 36: "52494646" + "ffffffff" + format + "dbffffff",
		Unknown - 35: "52494646" + "ffffffff" + format + "ffffffff",
		Unknown:      "52494646" + "ffffffff" + format + "ffffffff",
	} {
		got := Header(16000, size)
		if hex.EncodeToString(got) != want || len(got) != HeaderSize {
			t.Errorf("%d: %x", size, got)
		}
	}
}
