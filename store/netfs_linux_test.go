package store

import "testing"

func TestNetworkFS_IsKnownByItsMagicNumber(t *testing.T) {
	for magic, want := range map[uint32]string{0x6969: "NFS", 0xFF534D42: "SMB", 0x01021997: "9P", 0xEF53: "", 0x9123683E: "", 0x58465342: "", 0x01021994: ""} {
		if got := networkMagic(magic); got != want {
			t.Errorf("%#x is %q, want %q", magic, got, want)
		}
	}
	if name := networkFS(t.TempDir()); name != "" {
		t.Errorf("the temporary folder is on %s", name)
	}
}
