// SPDX-License-Identifier: Apache-2.0

// Package vocabulary knows the names of XJDF 2.2 and XJMF 2.2.
package vocabulary
