// Command record-kubectl runs upstream's packages on the cases in the given files (JSONPath templates, Go templates,
// sort paths), and writes the answers beside them. The files are replayed by the tests beside our implementation.
//
//	go run . ../../src/kubectl/printers/recorded/*.json ../../src/kubectl/commands/get/recorded/*.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

type document struct {
	Kind string `json:"kind"`
	// Objects are the values that cases refer to by name.
	Objects map[string]json.RawMessage `json:"objects"`
	// Texts are tried with every object, unless a case names one.
	Texts []string `json:"texts"`
	// Cases are written by this command.
	Cases []answer `json:"cases"`
}

type answer struct {
	Text   string `json:"text"`
	Object string `json:"object"`
	// Strict is whether a missing key is an error.
	Strict bool   `json:"strict,omitempty"`
	Output string `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
}

// recorder answers a text and an object.
type recorder func(text string, object json.RawMessage, strict bool) (output string, err error)

// Runs of each case; an answer that differs from run to run (the order of a map) is omitted.
const runs = 12

func main() {
	recorders := map[string]recorder{
		"jsonpath": recordJSONPath,
		"template": recordTemplate,
		"sort":     recordSort,
		"columns":  recordColumns,
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
	doc.Cases = nil
	for _, name := range sortedNames(doc.Objects) {
		for _, text := range doc.Texts {
			doc.Cases = append(doc.Cases, answersTo(record, text, name, doc.Objects[name])...)
		}
	}
	return write(path, doc)
}

// answersTo returns the answer with missing keys allowed, and the strict one where it differs.
func answersTo(record recorder, text, name string, object json.RawMessage) []answer {
	var answers []answer
	for _, strict := range []bool{false, true} {
		given := answer{Text: text, Object: name, Strict: strict}
		if !steady(record, &given, object) {
			continue
		}
		if strict && len(answers) > 0 && answers[0].Output == given.Output && answers[0].Error == given.Error {
			continue
		}
		answers = append(answers, given)
	}
	return answers
}

func steady(record recorder, given *answer, object json.RawMessage) bool {
	for i := 0; i < runs; i++ {
		output, failure := runOnce(record, given.Text, object, given.Strict)
		if failure == panicked {
			return false
		}
		if i > 0 && (output != given.Output || failure != given.Error) {
			return false
		}
		given.Output, given.Error = output, failure
	}
	return true
}

const panicked = "panic"

func runOnce(record recorder, text string, object json.RawMessage, strict bool) (output, failure string) {
	defer func() {
		if recovered := recover(); recovered != nil {
			failure = panicked
		}
	}()
	output, err := record(text, object, strict)
	if err != nil {
		failure = err.Error()
	}
	return output, failure
}

func write(path string, doc document) error {
	var out bytes.Buffer
	objects, err := line(doc.Objects)
	if err != nil {
		return err
	}
	fmt.Fprintf(&out, "{\n  \"kind\": %q,\n  \"objects\": %s,\n  \"texts\": [\n", doc.Kind, objects)
	if err := lines(&out, doc.Texts); err != nil {
		return err
	}
	fmt.Fprint(&out, "  ],\n  \"cases\": [\n")
	if err := lines(&out, doc.Cases); err != nil {
		return err
	}
	fmt.Fprint(&out, "  ]\n}\n")
	return os.WriteFile(path, out.Bytes(), 0o644)
}

func lines[T any](out *bytes.Buffer, values []T) error {
	for i, value := range values {
		text, err := line(value)
		if err != nil {
			return err
		}
		comma := ","
		if i == len(values)-1 {
			comma = ""
		}
		fmt.Fprintf(out, "    %s%s\n", text, comma)
	}
	return nil
}

func line(value any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return string(bytes.TrimSpace(out.Bytes())), err
}
