// Command record-config runs upstream's own validation on the configurations and command lines in the given
// files, and writes the answers beside them. The files are replayed by the tests of each component's configuration.
// Command lines are passed to upstream's own programs, which are in the folder PROGRAMS.
//
//	v=k8s.io/component-base/version
//	PROGRAMS=... go run -ldflags "-X $v.gitVersion=v1.37.1 -X $v.gitMajor=1 -X $v.gitMinor=37" . \
//	  ../../src/*/*/recorded/validation.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

type document struct {
	Kind  string     `json:"kind"`
	Cases []recorded `json:"cases"`
}

// recorded is the input, a document in YAML or a list of arguments, and upstream's message: empty if it is valid.
type recorded struct {
	Given json.RawMessage `json:"given"`
	Says  string          `json:"says"`
}

var recorders = map[string]func(json.RawMessage) (string, error){
	"KubeletConfiguration":       validates(validateKubelet),
	"KubeProxyConfiguration":     validates(validateProxy),
	"KubeSchedulerConfiguration": validates(validateScheduler),
	"kubelet":                    runs("kubelet"),
	"kube-controller-manager":    runs("kube-controller-manager"),
	"kube-apiserver":             runs("kube-apiserver"),
}

func validates(check func(json.RawMessage) error) func(json.RawMessage) (string, error) {
	return func(given json.RawMessage) (string, error) {
		if err := check(given); err != nil {
			return err.Error(), nil
		}
		return "", nil
	}
}

func main() {
	for _, path := range os.Args[1:] {
		if err := recordFile(path); err != nil {
			fail(fmt.Errorf("%s: %w", path, err))
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func recordFile(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var found document
	if err := json.Unmarshal(content, &found); err != nil {
		return err
	}
	for i := range found.Cases {
		if found.Cases[i].Says, err = recorders[found.Kind](found.Cases[i].Given); err != nil {
			return err
		}
	}
	return write(path, found)
}

func write(path string, found document) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\n  \"kind\": %q,\n  \"cases\": [\n", found.Kind)
	for i, each := range found.Cases {
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(each); err != nil {
			return err
		}
		comma := ","
		if i == len(found.Cases)-1 {
			comma = ""
		}
		fmt.Fprintf(&out, "    %s%s\n", bytes.TrimSpace(line.Bytes()), comma)
	}
	out.WriteString("  ]\n}\n")
	return os.WriteFile(path, out.Bytes(), 0o644)
}
