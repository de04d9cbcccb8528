package store

import "golang.org/x/sys/unix"

// networkFS names the network file system that holds path, empty if it is a
// local one. WAL needs memory shared between the processes of one machine.
func networkFS(path string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return "" // opening will say what is wrong
	}
	return networkMagic(uint32(st.Type))
}

func networkMagic(magic uint32) string {
	switch magic {
	case 0x6969:
		return "NFS"
	case 0xFF534D42, 0xFE534D42:
		return "SMB"
	case 0x517B:
		return "SMBFS"
	case 0x01021997:
		return "9P"
	case 0x00C36400:
		return "Ceph"
	case 0x5346414F, 0x6B414653:
		return "AFS"
	case 0x564C:
		return "NCP"
	case 0x73757245:
		return "Coda"
	case 0x0BD00BD0:
		return "Lustre"
	case 0x47504653:
		return "GPFS"
	case 0x7461636F:
		return "OCFS2"
	case 0x01161970:
		return "GFS2"
	default:
		return ""
	}
}
