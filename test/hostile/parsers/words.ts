import { parseRequestInfo } from "#/apiserver/model/request-info.ts";
import { formatKubeconfig } from "#/client/kubeconfig/format-kubeconfig.ts";
import { parseKubeconfig } from "#/client/kubeconfig/parse-kubeconfig.ts";
import { executeTemplate } from "#/kubectl/printers/go-template/execute-template.ts";
import { templateFunctions } from "#/kubectl/printers/go-template/functions.ts";
import { parseTemplate } from "#/kubectl/printers/go-template/parse-template.ts";
import { TemplateError } from "#/kubectl/printers/go-template/template-node.ts";
import { ImageNameError, parseImageName } from "#/kubelet/images/image-name.ts";
import { CompileError } from "#/machinery/cel/environment.ts";
import { kubernetesEnvironment } from "#/machinery/cel/kubernetes/kubernetes-environment.ts";
import { PlanError } from "#/machinery/cel/runtime/planned.ts";
import { dynType } from "#/machinery/cel/type/cel-type.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { formatTime, parseTime, rfc3339, TimeError } from "#/machinery/codec/shape/go-time.ts";
import { executeTemplate as executePath } from "#/machinery/jsonpath/evaluate-jsonpath.ts";
import { JsonPathError } from "#/machinery/jsonpath/jsonpath-node.ts";
import { parseTemplate as parsePath } from "#/machinery/jsonpath/parse-jsonpath.ts";
import { parseFieldSelector } from "#/machinery/meta/fields.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { SelectorError } from "#/machinery/meta/labels.ts";
import { CronScheduleError, parseCronSchedule } from "#/machinery/time/cron-schedule.ts";
import { nextCronTime } from "#/machinery/time/next-cron-time.ts";
import { parseQuantity, QuantityError } from "#/machinery/values/quantity.ts";
import { Base64Error, canonicalBase64 } from "#/std/go/go-base64.ts";
import { DurationError, formatNanos, parseNanos } from "#/std/go/nanoseconds.ts";
import { formatCidr, parseCidr } from "#/std/net/cidr.ts";
import { formatIp, parseIp } from "#/std/net/ip.ts";
import { type HostileParser, hostileParser } from "#/testing/hostile/hostile-parser.ts";
import { around, marks } from "./growths.ts";

const utf8 =
  <T>(parse: (text: string) => T) =>
  (input: Buffer): T =>
    parse(input.toString());

const data = {
  name: "web",
  n: 3,
  items: [{ n: 1, s: "a" }, { n: 2.5 }, { n: null }],
  labels: { "a.b/c": "d", __proto__x: "e" },
};
const functions = new Set(Object.keys(templateFunctions));

function render(text: string): string {
  const parts: string[] = [];
  executeTemplate(
    parseTemplate("output", text, functions),
    data,
    { allowMissingKeys: true },
    (part) => void parts.push(part),
  );
  return parts.join("");
}

const environment = kubernetesEnvironment({ variables: { self: dynType } });
function evaluate(expression: string): unknown {
  const program = environment.compile(expression);
  program.estimateCost();
  return program.evaluate({ self: data });
}

const kubeconfig = `apiVersion: v1
kind: Config
current-context: a
clusters:
- name: a
  cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: QUJD}
contexts:
- {name: a, context: {cluster: a, user: b, namespace: c}}
users:
- name: b
  user:
    token: "x"
    exec: {apiVersion: client.authentication.k8s.io/v1, command: c, args: [d], interactiveMode: Never}
`;

export const wordParsers: readonly HostileParser[] = [
  hostileParser({
    name: "label selector",
    corpus: ["a=b,c!=d,e in (f,g),!h,i,j notin (k),l>1", "x.y/z==w"],
    parse: utf8((text) => parseSelector(text)),
    write: String,
    errors: [SelectorError],
    tokens: [" in ", " notin ", "(", ")", ",", "=", "!", ">", "exists"],
    grows: [...marks, "a,", "a=b,", "a in (b),", around("a in (", "b,", ")")],
  }),
  hostileParser({
    name: "field selector",
    corpus: ["metadata.name=a,status.phase!=Running", "a\\,b=c\\=d"],
    parse: utf8(parseFieldSelector),
    write: String,
    errors: [SelectorError],
    tokens: ["=", "==", "!=", "\\", ","],
    grows: [...marks, "a=b,"],
  }),
  hostileParser({
    name: "quantity",
    corpus: ["100m", "1.5Gi", "12e6", "-0.000001", "1E3", "9223372036854775807", "0.5n"],
    parse: utf8(parseQuantity),
    write: String,
    errors: [QuantityError],
    tokens: ["Ki", "Ei", "E", "e", "m", "n", "u", ".", "-", "+"],
    grows: [
      ...marks,
      around("1e", "9"),
      around("0.", "9"),
      around("0.", "0", "1"),
      around("", "9", "Ei"),
      around("1e-", "9"),
    ],
    inputs: 400,
  }),
  hostileParser({
    name: "cron schedule",
    corpus: [
      "*/5 0-6,12 1,15 jan-jun mon",
      "@every 1h30m",
      "TZ=Europe/Berlin 0 3 * * *",
      "0 0 30 2 *",
      "@daily",
    ],
    parse: utf8((text) => nextCronTime(parseCronSchedule(text), 1_700_000_000_000)),
    errors: [CronScheduleError],
    tokens: ["*", "/", "-", ",", "?", "@", "TZ=", "CRON_TZ=", "Asia/Kathmandu", "America/New_York"],
    grows: [
      ...marks,
      around("0 0 * * ", "1,", "1"),
      around("@every ", "1h"),
      "* ",
      around("TZ=", "a"),
    ],
    inputs: 100,
  }),
  hostileParser({
    name: "jsonpath",
    corpus: [
      "{.items[*].n}",
      '{range .items[?(@.s=="a")]}{.s}{"\\n"}{end}',
      "{.labels['a\\.b/c']}",
      "{..n}",
      "{.items[0:2:2]['n','s']}",
    ],
    parse: utf8((text) => executePath(parsePath(text), data, { allowMissing: true })),
    errors: [JsonPathError],
    tokens: ["..", "[?(", "@.", "{range ", "{end}", "[*]", "['", "==", "[0:2]", "\\"],
    grows: [
      ...marks,
      "{.a}",
      "{range .items}",
      "{end}",
      around("{", ".a", "}"),
      around("{", "[0]", "}"),
      around("{.items", "[?(@.n)]", "}"),
      around("{", "..n", "}"),
      around("{", "[?(", "}"),
      around("{'", "\\", "'}"),
      around("{.a[", "0,", "1]}"),
    ],
  }),
  hostileParser({
    name: "go template",
    corpus: [
      "{{range $i, $x := .items}}{{if eq $x.s `a`}}{{$i}}{{else if .s}}b{{end}}{{end}}",
      '{{define "t"}}[{{.}}]{{end}}{{template "t" .name}}{{printf "%5.2f|%q|%v" 1.5 .name .items}}',
      "{{with .labels}}{{index . \"a.b/c\" | len}}{{end -}} {{- /* c */ -}} {{`raw`}} {{'x'}} {{0x1F}} {{1e3}}",
      '{{if and (eq .n 3) (not .no)}}{{slice .name 1 2}}{{end}}{{html "<a>"}}{{js "x"}}{{print 1 2}}',
    ],
    parse: utf8(render),
    errors: [TemplateError],
    tokens: [
      "{{",
      "}}",
      "{{end}}",
      "{{if .a}}",
      "(",
      ")",
      "|",
      "$x",
      ":=",
      '{{block "a" .}}',
      "%[1]*d",
      "%!",
      "%999999999d",
      '{{template "t" .}}',
      "{{break}}",
    ],
    grows: [
      ...marks,
      "{{",
      "{{.a}}",
      "{{if .n}}",
      "{{range .items}}",
      "{{end}}",
      around("{{", "(", "}}"),
      around("{{.name", " | print", "}}"),
      around("{{", ".a", "}}"),
      around('{{printf "', "%d", '"}}'),
      around("{{/*", " "),
      '{{define "a"}}',
      "{{- ",
      " -}}",
      around("{{`", "a"),
      around("{{", "$x ", "}}"),
    ],
    inputs: 200,
  }),
  hostileParser({
    name: "cel",
    corpus: [
      "self.items.all(x, x.n > 0 || has(x.s)) && self.name.matches('^w')",
      "self.labels['a.b/c'].split(',').map(x, x + 'y').join('-') == 'd' ? 2u : uint(size(b'x' + b'y')) + uint(r'\\d'.size())",
      "ip('10.0.0.1').family() == 4 && cidr('10.0.0.0/8').containsIP('10.1.1.1') && url('https://a').getHost() == 'a'",
    ],
    parse: utf8(evaluate),
    errors: [CompileError, PlanError],
    tokens: [
      ".all(x, ",
      ".map(x, ",
      "has(",
      "'",
      '"""',
      "r'",
      "?",
      ":",
      "in",
      "&&",
      "{'k': ",
      "duration('1h')",
      "optional.of(",
      ".orValue(",
    ],
    grows: [
      "1+",
      "a.",
      "!",
      "(1+",
      "x&&",
      "[",
      around("'", "a", "'"),
      around("'", "\\u0041", "'"),
      around("[", "1,", "1]"),
      "//\n",
    ],
    inputs: 40,
  }),
  hostileParser({
    name: "cidr",
    corpus: ["10.0.0.0/8", "fd00::/64", "::ffff:1.2.3.4/128"],
    parse: (input) => parseCidr(input.toString()),
    write: (cidr) => (cidr ? formatCidr(cidr) : ""),
    errors: [],
    tokens: ["::", "/", ".", ":", "%eth0", "0"],
    grows: [...marks, ":", "::", "0:", "1.", "/", "0"],
    inputs: 400,
  }),
  hostileParser({
    name: "ip",
    corpus: ["10.0.0.1", "fd00::1:2", "::ffff:1.2.3.4", "::"],
    parse: (input) => parseIp(input.toString()),
    write: (ip) => (ip ? formatIp(ip) : ""),
    errors: [],
    tokens: ["::", ".", ":", "%eth0", "0"],
    grows: [...marks, ":", "::", "0:", "1.", "0"],
    inputs: 400,
  }),
  hostileParser({
    name: "duration",
    corpus: ["1h30m5.5s", "-1.5us", "100ns"],
    parse: utf8(parseNanos),
    write: formatNanos,
    errors: [DurationError],
    tokens: ["h", "ms", "µs", ".", "-", "+"],
    grows: [...marks, "1h", "1.", "0.1s"],
  }),
  hostileParser({
    name: "time",
    corpus: ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456789+01:30"],
    parse: (input) => parseTime(input.toString(), rfc3339),
    write: (time) => formatTime(time, rfc3339),
    errors: [TimeError],
    tokens: ["T", "Z", "+", ".", "-", ":", ","],
    grows: [...marks, around("2026-01-02T03:04:05.", "1", "Z")],
  }),
  hostileParser({
    name: "base64",
    corpus: ["QUJD", "QUI=", "QQ==", "QU\nJD"],
    parse: (input) => canonicalBase64(input.toString()),
    write: (text) => text,
    errors: [Base64Error],
    tokens: ["=", "==", "\n", "-", "_"],
    grows: [...marks, "\n", "A===", "QUJD"],
  }),
  hostileParser({
    name: "image name",
    corpus: [`registry.example.com:5000/a/b-c_d:v1.2@sha256:${"0".repeat(64)}`, "nginx", "a/b:c"],
    parse: utf8(parseImageName),
    errors: [ImageNameError],
    tokens: [":", "/", "@", "sha256:", ".", "__", "-"],
    grows: [
      ...marks,
      "a/",
      "a-",
      "a__",
      "a.",
      "/",
      ":",
      "@",
      around("a", "-", "A"),
      around("a/", "a_", "A"),
    ],
  }),
  hostileParser({
    name: "request path",
    corpus: [
      "/api/v1/namespaces/a/pods/b/log",
      "/apis/apps/v1/deployments",
      "/api/v1/watch/pods",
      "/healthz",
    ],
    parse: utf8((text) =>
      parseRequestInfo({ method: "GET", path: text, query: new URLSearchParams() }),
    ),
    errors: [],
    tokens: ["/", "//", "%2f", "%", "..", "/proxy/", "/watch/", "namespaces"],
    grows: ["/", "/a", "%", "%41", "a"],
  }),
  hostileParser({
    name: "kubeconfig",
    corpus: [kubeconfig, "{}"],
    parse: (input) => parseKubeconfig(input.toString()),
    write: formatKubeconfig,
    errors: [Error, DecodeError],
    tokens: ["- ", ": ", "{", "[", "'", "name: ", "clusters: ", "null", "__proto__: {a: b}\n"],
    grows: [
      "- ",
      "a: ",
      "[",
      "{a: ",
      " ",
      "\n",
      "a\n",
      "- a\n",
      "a: b\n",
      around("a: '", "b"),
      around("a: ", '"'),
    ],
    inputs: 40,
  }),
];
