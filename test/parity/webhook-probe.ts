/** Webhooks that misbehave in every way, and the answers to requests that call them. */

import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { gzipSync } from "node:zlib";
import { stringify } from "yaml";
import { systemClock } from "#/std/time/clock.ts";
import { issueCertificate, selfSign } from "#/std/x509/issue-certificate.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import { until } from "#/testing/until.ts";
import type { Target } from "./reference.ts";

const day = 86_400_000;
const signing = ["digital signature", "cert sign"];
const authorityName = { commonName: "probe authority" };

interface Pair {
  readonly certificate: string;
  readonly key: KeyObject;
}

/** The request to a webhook: method, target and the relevant headers. */
type Seen = Readonly<Record<string, string>>;

interface Probe {
  readonly name: string;
  /** URL of the webhook; {port} is that of its server. Default the path of its name. */
  readonly url?: string;
  readonly server?: "good" | "plain" | "tcp" | "hangup" | keyof typeof tlsServers;
  readonly bundle?: "authority" | "leaf" | "intermediate" | "other" | "both" | "none";
  readonly timeoutSeconds?: number;
  readonly mutating?: boolean;
  answer?(reply: ServerResponse, review: Review, times: number, request: IncomingMessage): void;
}

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request?: { readonly uid: string };
}

/** The result: status and message of the request, its warnings, and the requests to the webhook. */
export interface Outcome {
  readonly name: string;
  readonly status: number;
  readonly message?: string;
  readonly warnings?: string;
  readonly seen: readonly Seen[];
}

const now = systemClock.now();
const valid = { notBefore: now - day, notAfter: now + day };

const issued = (by: Pair, commonName: string, more: object = {}, key = generateKey()): Pair => ({
  key,
  certificate: issueCertificate(
    {
      subject: { commonName },
      publicKey: createPublicKey(key),
      usages: ["digital signature", "server auth"],
      names: { ips: ["127.0.0.1"], dns: ["localhost"] },
      ...valid,
      ...more,
    },
    by,
  ),
});

function authority(subject: { commonName: string }, more = {}): Pair {
  const key = generateKey();
  const options = { subject, usages: signing, isAuthority: true, ...valid, ...more };
  return { key, certificate: selfSign(options, key) };
}

const root = authority(authorityName);
const namesake = authority(authorityName);
const intermediate = issued(root, "probe intermediate", { isAuthority: true, usages: signing });
const good = issued(root, "good");
const below = issued(intermediate, "below");
const lone = (() => {
  const key = generateKey();
  const usages = ["digital signature", "server auth"];
  const names = { ips: ["127.0.0.1"] };
  return {
    key,
    certificate: selfSign({ subject: { commonName: "lone" }, usages, names, ...valid }, key),
  };
})();
const weak = issued(
  root,
  "weak",
  {},
  generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey,
);

/** Servers whose certificates or protocols are special. */
const tlsServers: Readonly<Record<string, TlsOptions>> = {
  below: tls(below),
  chain: { ...tls(below), cert: `${below.certificate}\n${intermediate.certificate}` },
  lone: tls(lone),
  weak: { ...tls(weak), ciphers: "DEFAULT:@SECLEVEL=0" },
  expired: tls(issued(root, "expired", { notBefore: now - 2 * day, notAfter: now - day })),
  early: tls(issued(root, "early", { notBefore: now + day, notAfter: now + 2 * day })),
  unnamed: tls(issued(root, "127.0.0.1", { names: {} })),
  elsewhere: tls(issued(root, "elsewhere", { names: { dns: ["a.example", "b.example"] } })),
  otherAddress: tls(issued(root, "otherAddress", { names: { ips: ["10.0.0.1", "fd00::1"] } })),
  clientOnly: tls(issued(root, "clientOnly", { usages: ["digital signature", "client auth"] })),
  noUsage: tls(issued(root, "noUsage", { usages: ["digital signature"] })),
  notAuthority: tls(issued(good, "notAuthority")),
  namesake: tls(issued(namesake, "namesake")),
  old: { ...tls(good), minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT:@SECLEVEL=0" },
  twelve: { ...tls(good), maxVersion: "TLSv1.2" },
};

function tls({ certificate, key }: Pair): TlsOptions {
  return { cert: certificate, key: keyPem(key) };
}

const bundles = {
  authority: root.certificate,
  leaf: lone.certificate,
  intermediate: intermediate.certificate,
  other: namesake.certificate,
  both: `${namesake.certificate}\n${root.certificate}`,
  none: "",
};

const allowed = ({ apiVersion, kind, request }: Review): object => ({
  apiVersion,
  kind,
  response: { uid: request?.uid, allowed: true },
});

const json = { "content-type": "application/json" };
const sends =
  (status: number, body: string | Buffer, headers: Record<string, string> = json) =>
  (reply: ServerResponse): void =>
    void reply.writeHead(status, headers).end(body);
const allows = (reply: ServerResponse, review: Review): void =>
  void reply.writeHead(200, json).end(JSON.stringify(allowed(review)));
/** First another answer, then an approval. */
const twice =
  (status: number, headers: Record<string, string>) =>
  (reply: ServerResponse, review: Review, times: number): void =>
    times === 1 ? void reply.writeHead(status, headers).end("wait") : allows(reply, review);
const redirects =
  (status: number, location = "/final") =>
  (reply: ServerResponse, review: Review, times: number): void =>
    times === 1 ? void reply.writeHead(status, { location }).end() : allows(reply, review);
const failure = {
  apiVersion: "v1",
  kind: "Status",
  status: "Failure",
  message: "the webhook's own words",
  reason: "Teapot",
  code: 418,
};
const answers =
  (response: object) =>
  (reply: ServerResponse, review: Review): void => {
    const { uid } = review.request ?? {};
    const { apiVersion, kind } = review;
    reply
      .writeHead(200, json)
      .end(JSON.stringify({ apiVersion, kind, response: { uid, ...response } }));
  };

export const probes: readonly Probe[] = [
  { name: "good", answer: allows },
  ...["//slashes", "/a/../dots", "/end/", "/a%2Fb", "/a%20b", "/%7Etilde", "/a/./b//c/", ""].map(
    (path, n): Probe => ({
      name: `path-${n}`,
      url: `https://127.0.0.1:{port}${path}`,
      answer: allows,
    }),
  ),
  { name: "ca-is-leaf", server: "lone", bundle: "leaf", answer: allows },
  { name: "ca-is-intermediate", server: "below", bundle: "intermediate", answer: allows },
  { name: "ca-is-root-of-chain", server: "chain", answer: allows },
  { name: "ca-is-root-without-intermediate", server: "below", answer: allows },
  { name: "ca-of-same-name", server: "good", bundle: "other", answer: allows },
  { name: "ca-both", server: "good", bundle: "both", answer: allows },
  { name: "no-ca", server: "good", bundle: "none", answer: allows },
  ...["weak", "expired", "early", "unnamed", "elsewhere", "otherAddress"].map(
    (server): Probe => ({ name: server, server, answer: allows }),
  ),
  ...["clientOnly", "noUsage", "notAuthority", "namesake", "old", "twelve"].map(
    (server): Probe => ({ name: server, server, answer: allows }),
  ),
  {
    name: "elsewhere-by-name",
    server: "elsewhere",
    url: "https://localhost:{port}/x",
    answer: allows,
  },
  { name: "unnamed-by-name", server: "unnamed", url: "https://localhost:{port}/x", answer: allows },
  { name: "plain-http", server: "plain", answer: allows },
  { name: "no-tls", server: "tcp" },
  { name: "hangup", server: "hangup" },
  { name: "refused", url: "https://127.0.0.1:1/x" },
  { name: "no-such-host", url: "https://no.such.host.invalid:443/x" },
  { name: "429-retry-after", answer: twice(429, { "retry-after": "1" }) },
  { name: "503-retry-after", answer: twice(503, { "retry-after": "0" }) },
  { name: "500-retry-after", answer: twice(500, { "retry-after": "0" }) },
  { name: "429", answer: twice(429, {}) },
  { name: "503", answer: twice(503, {}) },
  { name: "400-retry-after", answer: twice(400, { "retry-after": "0" }) },
  {
    name: "retry-after-date",
    answer: twice(503, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }),
  },
  { name: "retry-after-late", timeoutSeconds: 1, answer: twice(503, { "retry-after": "5" }) },
  { name: "retry-for-ever", answer: sends(503, "busy", { "retry-after": "0" }) },
  ...[301, 302, 303, 307, 308].map(
    (status): Probe => ({ name: `${status}`, answer: redirects(status) }),
  ),
  { name: "307-elsewhere", answer: redirects(307, "https://localhost:{port}/other?x=y") },
  { name: "307-loop", answer: sends(307, "", { location: "/307-loop" }) },
  { name: "307-nowhere", answer: sends(307, "") },
  { name: "307-refused", answer: redirects(307, "https://127.0.0.1:1/gone") },
  {
    name: "yaml",
    answer: (reply, review) =>
      void reply
        .writeHead(200, { "content-type": "application/yaml" })
        .end(stringify(allowed(review))),
  },
  {
    name: "yaml-called-json",
    answer: (reply, review) => void reply.writeHead(200, json).end(stringify(allowed(review))),
  },
  {
    name: "gzip",
    answer: (reply, review, _times, request) => {
      const body = JSON.stringify(allowed(review));
      if (request.headers["accept-encoding"] !== "gzip") void reply.writeHead(200, json).end(body);
      else void reply.writeHead(200, { ...json, "content-encoding": "gzip" }).end(gzipSync(body));
    },
  },
  { name: "bad-gzip", answer: sends(200, "nonsense", { ...json, "content-encoding": "gzip" }) },
  { name: "empty", answer: sends(200, "") },
  { name: "empty-untyped", answer: sends(200, "", {}) },
  { name: "204", answer: sends(204, "", {}) },
  {
    name: "206",
    answer: (reply, review) => void reply.writeHead(206, json).end(JSON.stringify(allowed(review))),
  },
  {
    name: "207",
    answer: (reply, review) => void reply.writeHead(207, json).end(JSON.stringify(allowed(review))),
  },
  { name: "html", answer: sends(200, "<html>", { "content-type": "text/html" }) },
  { name: "broken-json", answer: sends(200, '{"kind":') },
  { name: "a-list", answer: sends(200, "[]") },
  { name: "a-number", answer: sends(200, "7") },
  { name: "null", answer: sends(200, "null") },
  { name: "other-kind", answer: sends(200, '{"kind":"Pod","apiVersion":"v1"}') },
  { name: "no-kind", answer: sends(200, '{"response":{"allowed":true}}') },
  {
    name: "no-response",
    answer: sends(200, '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}'),
  },
  { name: "status-200", answer: sends(200, JSON.stringify(failure)) },
  { name: "status-500", answer: sends(500, JSON.stringify(failure)) },
  {
    name: "status-403-yaml",
    answer: sends(403, stringify(failure), { "content-type": "application/yaml" }),
  },
  ...[400, 401, 403, 404, 405, 406, 409, 415, 418, 422, 500, 502, 504].map(
    (status): Probe => ({
      name: `text-${status}`,
      answer: sends(status, " some text \n", { "content-type": "text/plain" }),
    }),
  ),
  { name: "json-500", answer: sends(500, '{"a":1}') },
  { name: "untyped-500", answer: sends(500, "what", {}) },
  { name: "bad-type", answer: sends(200, "{}", { "content-type": "a/b/c; ;" }) },
  {
    name: "cut",
    answer: (reply) => {
      reply.writeHead(200, { ...json, "content-length": "100" });
      reply.write("{", () => reply.destroy());
    },
  },
  { name: "no-answer", answer: (reply) => void reply.destroy() },
  { name: "hangs", timeoutSeconds: 1, answer: () => undefined },
  { name: "denied", answer: answers({ allowed: false }) },
  {
    name: "denied-message",
    answer: answers({ allowed: false, status: { message: "no", code: 418, reason: "R" } }),
  },
  {
    name: "warnings",
    answer: answers({ allowed: true, warnings: ["one", "two\nlines", "", "x".repeat(300)] }),
  },
  { name: "wrong-uid", answer: answers({ allowed: true, uid: "x" }) },
  {
    name: "patch-of-validating",
    answer: answers({ allowed: true, patch: "W10=", patchType: "JSONPatch" }),
  },
  {
    name: "bad-patch",
    mutating: true,
    answer: answers({
      allowed: true,
      patch: Buffer.from("nonsense").toString("base64"),
      patchType: "JSONPatch",
    }),
  },
  {
    name: "patch-type",
    mutating: true,
    answer: answers({ allowed: true, patch: "W10=", patchType: "Merge" }),
  },
];

interface Servers extends AsyncDisposable {
  readonly ports: ReadonlyMap<string, number>;
  readonly seen: ReadonlyMap<string, Seen[]>;
}

/** Starts the servers of all probes. */
async function startServers(): Promise<Servers> {
  const seen = new Map<string, Seen[]>(probes.map(({ name }) => [name, []]));
  const ports = new Map<string, number>();
  const sockets = new Set<Socket>();
  const listening: Server[] = [];
  const handle = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const review = (text === "" ? last : JSON.parse(text)) as Review;
    last = review;
    const { method = "", url = "", headers } = request;
    const list = seen.get(asked) ?? [];
    list.push(
      Object.fromEntries(
        [
          ["request", `${method} ${url}`],
          ...["host", "accept", "accept-encoding", "content-type"].map((name) => [
            name,
            headers[name],
          ]),
        ].filter(([, value]) => value !== undefined),
      ),
    );
    const probe = probes.find(({ name }) => name === asked);
    (probe?.answer ?? allows)(filled(reply, ports), review, list.length, request);
  };
  let last: Review = { apiVersion: "", kind: "" };
  const open = async (name: string, server: Server): Promise<void> => {
    server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => undefined)));
    server.on("tlsClientError", () => undefined);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ports.set(name, (server.address() as AddressInfo).port);
    listening.push(server);
  };
  await open("good", createHttps(tls(good), handle));
  for (const [name, options] of Object.entries(tlsServers))
    await open(name, createHttps(options, handle));
  await open("plain", createHttp(handle));
  await open(
    "tcp",
    createTcp((socket) => void socket.once("data", () => socket.end("220 ready\r\n"))),
  );
  await open(
    "hangup",
    createTcp((socket) => void socket.once("data", () => socket.end())),
  );
  return {
    ports,
    seen,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(listening.map((server) => once(server.close(), "close")));
    },
  };
}

/** The current probe. */
let asked = "";

/** A redirect may name the port of a server, which is known only now. */
function filled(reply: ServerResponse, ports: ReadonlyMap<string, number>): ServerResponse {
  const write = reply.writeHead.bind(reply);
  reply.writeHead = ((status: number, headers: Record<string, string> = {}) => {
    const location = headers["location"]?.replace("{port}", `${ports.get("good")}`);
    return write(status, location === undefined ? headers : { ...headers, location });
  }) as typeof reply.writeHead;
  return reply;
}

const maps = "/api/v1/namespaces/default/configmaps";
const group = "/apis/admissionregistration.k8s.io/v1";

/** Runs every probe against a server, one after the other. */
export async function runProbes(target: Target): Promise<Outcome[]> {
  await using servers = await startServers();
  for (const mutating of [false, true]) await register(target, servers, mutating);
  const outcomes: Outcome[] = [];
  for (const probe of probes) outcomes.push(await runProbe(target, servers, probe));
  return outcomes;
}

async function register(target: Target, { ports }: Servers, mutating: boolean): Promise<void> {
  const kind = mutating ? "Mutating" : "Validating";
  const webhooks = probes
    .filter((probe) => (probe.mutating ?? false) === mutating)
    .map((probe) => webhookOf(probe, ports));
  const path = `${group}/${kind.toLowerCase()}webhookconfigurations`;
  const body = {
    kind: `${kind}WebhookConfiguration`,
    apiVersion: "admissionregistration.k8s.io/v1",
    metadata: { name: "probes" },
    webhooks,
  };
  const made = await post(target, path, body);
  if (made.status !== 201) throw new Error(made.text);
  await untilCalled(target, mutating ? "bad-patch" : "denied");
}

function webhookOf(probe: Probe, ports: ReadonlyMap<string, number>): object {
  const { name, bundle = "authority", timeoutSeconds = 10 } = probe;
  const url = probe.url ?? `https://127.0.0.1:{port}/${name}`;
  const caBundle = Buffer.from(bundles[bundle]).toString("base64");
  return {
    name: `${name.toLowerCase()}.probe.example`,
    clientConfig: {
      url: url.replace("{port}", `${ports.get(probe.server ?? "good")}`),
      ...(bundle === "none" ? {} : { caBundle }),
    },
    rules: [
      { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] },
    ],
    objectSelector: { matchLabels: { probe: name } },
    sideEffects: "None",
    timeoutSeconds,
    admissionReviewVersions: ["v1"],
  };
}

/** A server needs some time to observe its webhooks. */
async function untilCalled(target: Target, name: string): Promise<void> {
  asked = name;
  await until("webhooks are called", async () => (await create(target, name)).status !== 201);
}

async function runProbe(target: Target, { ports, seen }: Servers, probe: Probe): Promise<Outcome> {
  const { name, server = "good" } = probe;
  asked = name;
  seen.get(name)?.splice(0);
  const { status, text, headers } = await create(target, name);
  const conceal = (shown: string): string =>
    shown
      .replaceAll(`:${ports.get(server)}`, ":PORT")
      .replaceAll(`:${ports.get("good")}`, ":PORT")
      .replace(/lookup (\S+) on \S+: /, "lookup $1: ")
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME")
      .replace(/response\.uid="[^"]*"/, 'response.uid="UID"');
  const { message } = JSON.parse(text) as { message?: string };
  const warnings = headers["warning"];
  return {
    name,
    status,
    ...(message === undefined ? {} : { message: conceal(message) }),
    ...(warnings === undefined ? {} : { warnings }),
    seen: (seen.get(name) ?? []).map((one) =>
      Object.fromEntries(Object.entries(one).map(([key, value]) => [key, conceal(value)])),
    ),
  };
}

let count = 0;
const create = (target: Target, name: string) =>
  post(target, maps, { metadata: { name: `probe-${count++}`, labels: { probe: name } } });

const post = (target: Target, path: string, body: object) =>
  target.send({
    method: "POST",
    path,
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  });
