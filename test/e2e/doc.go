// SPDX-License-Identifier: Apache-2.0

// Package e2e has the tests that need the whole platform in pods: the image that is
// shipped, installed by the charts, on a cluster with nodes of package kubenode.
package e2e
