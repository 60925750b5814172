// Command record-codec runs upstream's code (apimachinery's serializers, sigs.k8s.io/yaml and apiserver's content
// negotiation) on the cases in the given files, and writes the answers beside them. The files are replayed
// by src/machinery/codec/recorded.test.ts.
//
//	go run . ../../src/machinery/codec/recorded/*.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

type document struct {
	Kind  string            `json:"kind"`
	Cases []json.RawMessage `json:"cases"`
}

var recorders = map[string]func(json.RawMessage) (any, error){
	"decode":    recordDecode,
	"from-yaml": recordFromYAML,
	"to-yaml":   recordToYAML,
	"accept":    recordAccept,
}

func main() {
	for _, path := range os.Args[1:] {
		if err := recordFile(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func recordFile(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var doc document
	if err := json.Unmarshal(content, &doc); err != nil {
		return err
	}
	record, ok := recorders[doc.Kind]
	if !ok {
		return fmt.Errorf("unknown kind %q", doc.Kind)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\n  \"kind\": %q,\n  \"cases\": [", doc.Kind)
	for i, raw := range doc.Cases {
		answered, err := record(raw)
		if err != nil {
			return fmt.Errorf("case %d: %w", i, err)
		}
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(answered); err != nil {
			return err
		}
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n    %s", bytes.TrimSpace(line.Bytes()))
	}
	out.WriteString("\n  ]\n}\n")
	return os.WriteFile(path, out.Bytes(), 0o644)
}
