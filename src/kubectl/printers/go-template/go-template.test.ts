import assert from "node:assert/strict";
import { test } from "node:test";
import { executeTemplate } from "./execute-template.ts";
import { templateFunctions } from "./functions.ts";
import { parseTemplate } from "./parse-template.ts";
import { TemplateError } from "./template-node.ts";

const data = {
  name: "web",
  items: [{ n: 1 }, { n: 2 }],
  labels: { b: "2", a: "1" },
  empty: [],
  text: "<x>",
};

function render(text: string, value: unknown = data): string {
  const template = parseTemplate("output", text, new Set(Object.keys(templateFunctions)));
  const parts: string[] = [];
  executeTemplate(
    template,
    value,
    { allowMissingKeys: true } as never,
    (part) => void parts.push(part),
  );
  return parts.join("");
}

const cases: readonly (readonly [string, string])[] = [
  ["{{.name}}", "web"],
  ["{{range .items}}{{.n}},{{end}}", "1,2,"],
  ["{{range $i, $x := .items}}{{$i}}={{$x.n}} {{end}}", "0=1 1=2 "],
  ["{{range $k, $v := .labels}}{{$k}}{{$v}}{{end}}", "a1b2"],
  ["{{range .empty}}x{{else}}none{{end}}", "none"],
  ['{{if eq .name "web"}}yes{{else}}no{{end}}', "yes"],
  ["{{if and .name (not .empty)}}yes{{end}}", "yes"],
  ["{{with .labels}}{{.a}}{{end}}", "1"],
  ['{{len .items}} {{index .labels "b"}} {{(index .items 1).n}}', "2 2 2"],
  ["a {{- .name -}} b", "awebb"],
  ['{{printf "%s-%d-%q" .name 3 "x"}}', 'web-3-"x"'],
  ['{{.name | printf "%5s|"}}', "  web|"],
  ['{{define "t"}}[{{.}}]{{end}}{{template "t" .name}}', "[web]"],
  ["{{/* nothing */}}{{html .text}}", "&lt;x&gt;"],
  ["{{range .items}}{{if eq .n 2}}{{break}}{{end}}{{.n}}{{end}}", "1"],
  ["{{$x := 1}}{{$x = 2}}{{$x}}", "2"],
  ["{{.missing}}", "<no value>"],
];

for (const [text, expected] of cases) test(text, () => assert.equal(render(text), expected));

for (const text of ["{{", "{{end}}", "{{.a", "{{range .x}}", "{{nothing .x}}", "{{$x}}"]) {
  test(`refuses ${text}`, () => assert.throws(() => render(text)));
}

for (const [name, text] of [
  ["parentheses", `{{${"(".repeat(20_000)}`],
  ["actions", "{{if .name}}".repeat(20_000)],
  ["else", `{{if .name}}${"{{else if .name}}".repeat(20_000)}`],
] as const) {
  test(`refuses ${name} that are nested too deeply`, () => {
    assert.throws(
      () => render(text),
      new TemplateError("template: output:1: max expression depth exceeded"),
    );
  });
}
