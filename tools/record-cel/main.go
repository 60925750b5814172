// Command record-cel evaluates the cases in the given files with upstream's code (cel-go with Kubernetes' environment),
// and writes the answers beside them. The files are replayed by src/machinery/cel/recorded.test.ts.
//
//	go run . ../../src/machinery/cel/recorded/*.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

type document struct {
	Kind string `json:"kind"`
	// Given has the defaults of all cases.
	Given json.RawMessage   `json:"given,omitempty"`
	Cases []json.RawMessage `json:"cases"`
}

// recorder answers a case, which is decoded over the defaults of all cases.
type recorder func(given, raw json.RawMessage) (any, error)

func main() {
	recorders := map[string]recorder{
		"expressions": recordExpression,
		"rules":       recordRules,
		"definitions": recordDefinition,
		"policies":    recordPolicy,
	}
	for _, path := range os.Args[1:] {
		if err := recordFile(path, recorders); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func recordFile(path string, recorders map[string]recorder) error {
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
	fmt.Fprintf(&out, "{\n  \"kind\": %q,\n", doc.Kind)
	if doc.Given != nil {
		given, err := marshal(doc.Given)
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "  \"given\": %s,\n", given)
	}
	out.WriteString("  \"cases\": [")
	for i, raw := range doc.Cases {
		answered, err := record(doc.Given, raw)
		if err != nil {
			return fmt.Errorf("case %d: %w", i, err)
		}
		line, err := marshal(answered)
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n    %s", line)
	}
	out.WriteString("\n  ]\n}\n")
	return os.WriteFile(path, out.Bytes(), 0o644)
}

// marshal writes one line of JSON without escaping <, > and &, so that expressions stay readable.
func marshal(value any) (string, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return string(bytes.TrimRight(buffer.Bytes(), "\n")), nil
}
