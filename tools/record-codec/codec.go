package main

import (
	"bytes"
	"encoding/json"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

func init() {
	if err := apiextensionsv1.AddToScheme(scheme.Scheme); err != nil {
		panic(err)
	}
}

// decodeCase is a body that is decoded strictly. Bytes that are not UTF-8 are written as Latin-1 in "latin1".
type decodeCase struct {
	Body     string   `json:"body,omitempty"`
	Latin1   string   `json:"latin1,omitempty"`
	YAML     bool     `json:"yaml,omitempty"`
	Object   string   `json:"object,omitempty"`
	Problems []string `json:"problems,omitempty"`
	Error    string   `json:"error,omitempty"`
}

func recordDecode(raw json.RawMessage) (any, error) {
	var c decodeCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	body := []byte(c.Body)
	if c.Latin1 != "" {
		body = nil
		for _, r := range c.Latin1 {
			body = append(body, byte(r))
		}
	}
	answer := decodeCase{Body: c.Body, Latin1: c.Latin1, YAML: c.YAML}
	options := kjson.SerializerOptions{Strict: true, Yaml: c.YAML}
	serializer := kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, options)
	object, _, err := serializer.Decode(body, nil, nil)
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		for _, problem := range strict.Errors() {
			answer.Problems = append(answer.Problems, problem.Error())
		}
	} else if err != nil {
		answer.Error = err.Error()
		return answer, nil
	}
	var out bytes.Buffer
	plain := kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, kjson.SerializerOptions{})
	if err := plain.Encode(object, &out); err != nil {
		return nil, err
	}
	answer.Object = out.String()
	return answer, nil
}

type yamlCase struct {
	YAML   string `json:"yaml"`
	JSON   string `json:"json,omitempty"`
	Error  string `json:"error,omitempty"`
	Strict string `json:"strict,omitempty"`
}

func recordFromYAML(raw json.RawMessage) (any, error) {
	var c yamlCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	answer := yamlCase{YAML: c.YAML}
	converted, err := yaml.YAMLToJSON([]byte(c.YAML))
	if err != nil {
		answer.Error = err.Error()
		return answer, nil
	}
	answer.JSON = string(converted)
	if _, err := yaml.YAMLToJSONStrict([]byte(c.YAML)); err != nil {
		answer.Strict = err.Error()
	}
	return answer, nil
}

func recordToYAML(raw json.RawMessage) (any, error) {
	var c yamlCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	converted, err := yaml.JSONToYAML([]byte(c.JSON))
	if err != nil {
		return yamlCase{JSON: c.JSON, Error: err.Error()}, nil
	}
	return yamlCase{JSON: c.JSON, YAML: string(converted)}, nil
}
