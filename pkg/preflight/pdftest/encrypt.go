// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"crypto/md5" // required by the format of 1994
	"crypto/rc4"
	"encoding/binary"
	"fmt"
)

// crypt is the standard security handler, revision 2: RC4 with 40 bits (ISO
// 32000-2, 7.6.4). It protects nothing today, but readers must support it.
type crypt struct {
	key         []byte
	owner, user []byte
}

// padding is the string of algorithm 2.
const padding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

const fileID = "0123456789abcdef"

func padded(password string) []byte { return []byte((password + padding)[:32]) }

func arcfour(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err) // the length of the key is always valid
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// Encrypt encrypts everything that is written after the call. A file with an empty
// user password opens without a password. direct puts the encryption dictionary into
// the trailer instead of an object.
func (b *Builder) Encrypt(userPassword, ownerPassword string, direct bool) {
	ownerKey := md5.Sum(padded(ownerPassword))
	owner := arcfour(ownerKey[:5], padded(userPassword))
	seed := append(padded(userPassword), owner...)
	if b.Permissions == 0 {
		b.Permissions = -4
	}
	seed = binary.LittleEndian.AppendUint32(seed, uint32(b.Permissions))
	seed = append(seed, fileID...)
	sum := md5.Sum(seed)
	c := &crypt{key: sum[:5], owner: owner}
	c.user = arcfour(c.key, []byte(padding))
	dict := fmt.Sprintf("<< /Filter /Standard /V 1 /R 2 /Length 40 /P %d /O <%x> /U <%x> >>", b.Permissions, c.owner, c.user)
	if !direct {
		dict = b.Add("%s", dict).String()
	}
	b.Trailer += fmt.Sprintf(" /Encrypt %s /ID [<%x> <%x>]", dict, fileID, fileID)
	b.crypt = c
}

// encrypt implements algorithm 1 for generation 0.
func (c *crypt) encrypt(object int, data []byte) []byte {
	seed := append([]byte(nil), c.key...)
	seed = append(seed, byte(object), byte(object>>8), byte(object>>16), 0, 0)
	sum := md5.Sum(seed)
	return arcfour(sum[:10], data)
}
