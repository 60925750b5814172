import { decodeSpans } from "#/apiserver/journey/decode-spans.ts";
import { openArchive, packArchive } from "#/cluster/backup/archive.ts";
import { ByteBlocks } from "#/cluster/backup/byte-blocks.ts";
import type { SnapshotManifest } from "#/cluster/backup/manifest.ts";
import { CommandFailure } from "#/cluster/base/command-failure.ts";
import { Terminal } from "#/console/app/terminal/terminal.ts";
import { planDnsConfig } from "#/dns/corefile/plan-dns-config.ts";
import { CorefileError } from "#/dns/corefile/read-corefile.ts";
import { gcLabels, parseManifest } from "#/registry/model/manifest.ts";
import { RegistryError } from "#/registry/model/registry-error.ts";
import { WireError } from "#/std/protobuf/protobuf-wire.ts";
import { TraceService } from "#/std/trace/trace-service.ts";
import { type HostileParser, hostileParser } from "#/testing/hostile/hostile-parser.ts";
import { around, piecesOf } from "./growths.ts";

const corefile = `.:53 {
  errors
  health :8080 {
    lameduck 5s
  }
  kubernetes cluster.local in-addr.arpa {
    pods insecure
    ttl 30
  }
  hosts { # here
    10.0.0.1 a.example b.example
    fallthrough
  }
  rewrite name regex (.*)[.]old {1}.new
  rewrite type A AAAA
  forward . 1.1.1.1 "8.8.8.8:53" {
    max_concurrent 10
  }
  cache 30
  log . {
    class denial error
  }
}
example.org,
b.example {
  forward . 9.9.9.9
}
`;

const digest = `sha256:${"0a".repeat(32)}`;
const registryManifest = JSON.stringify({
  schemaVersion: 2,
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  config: { mediaType: "application/vnd.oci.image.config.v1+json", digest, size: 2 },
  layers: [{ mediaType: "a/b", digest, size: 1 }],
  subject: { digest },
  annotations: { a: "b" },
});

const traceId = Buffer.from("0af7651916cd43dd8448eb211c80319c", "hex");
const attributes = [{ key: "http.route", value: { value: { string: "/cart" } } }];
const spans = [{ traceId, spanId: traceId.subarray(8), name: "GET", kind: "server", attributes }];
const spansProtobuf = TraceService.methods.Export.request.encode({
  resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: "x" }, spans }] }],
} as never);
const spansJson = JSON.stringify({
  resourceSpans: [
    {
      resource: { attributes: [{ key: "k8s.pod.uid", value: { stringValue: "u" } }] },
      scopeSpans: [
        {
          spans: [
            {
              ...{ traceId: "0AF7", spanId: "b7", name: "x", kind: 2, status: { code: 2 } },
              ...{ startTimeUnixNano: "1700000000000000000", endTimeUnixNano: 17 },
              attributes: [{ key: "n", value: { intValue: "200" } }],
            },
          ],
        },
      ],
    },
  ],
});

/** A snapshot of a cluster, and the same one with a passphrase. */
async function snapshot(passphrase?: string): Promise<Buffer> {
  const manifest: SnapshotManifest = {
    format: 1,
    ...{ cluster: "test", created: "2026-01-01T00:00:00Z", version: "0.1.0" },
    ...{ kubernetesVersion: "v1.37.0", revision: 7, files: [] },
  };
  const store = (async function* () {
    yield Buffer.from("a block");
  })();
  const packed = packArchive({ manifest, files: new Map(), store }, passphrase);
  return await new ByteBlocks(packed).upTo(1 << 20);
}

async function readSnapshot(input: Buffer): Promise<number> {
  async function* chunks() {
    yield* piecesOf(input, 64);
  }
  const archive = await openArchive(chunks(), undefined);
  let bytes = 0;
  for await (const entry of archive.entries()) {
    bytes += "block" in entry ? entry.block.length : entry.content.length;
  }
  return bytes;
}

/** What the lines of a terminal hold, and what it has answered. */
function readTerminal(input: Buffer): number {
  let answered = 0;
  const terminal = new Terminal({ columns: 80, rows: 24 }, ({ length }) => {
    answered += length;
  });
  for (const piece of piecesOf(input, 64)) terminal.write(piece.toString());
  if (answered > 100 * input.length) throw new Error("answers more than it has read");
  return terminal.lines.length;
}

export const partParsers: readonly HostileParser[] = [
  hostileParser({
    name: "corefile",
    corpus: [corefile, '. {\n hosts example.hosts {\n 1.2.3.4 "a"\n }\n}'],
    parse: (input) =>
      planDnsConfig(input.toString(), { files: { "example.hosts": "10.0.0.1 a b\n" }, port: 53 }),
    errors: [CorefileError],
    tokens: [" {\n", "\n}\n", '"', "#", ",", "\\", "rewrite ", "regex ", "forward . ", "(", "*"],
    growthBytes: 256 * 1024,
    grows: [
      around(". {\n", "rewrite type A AAAA\n", "}\n"),
      around(". {\n", "forward a 1.1.1.1\n", "}\n"),
      around(". {\n hosts {\n", "10.0.0.1 a b c\n", "}\n}\n"),
      around(". {\n forward . ", "1.1.1.1 ", "\n}\n"),
      around("", "a,\n", "{\n}\n"),
      around("", "a, ", "{\n}\n"),
      around(". {\n log ", "a ", "\n}\n"),
      around(". {\n rewrite name regex ", "(a*)*", " b\n}\n"),
      "a {\n",
      '"',
      "#",
      "\n",
    ],
    inputs: 300,
  }),
  hostileParser({
    name: "manifest of a registry",
    corpus: [registryManifest, '{"mediaType":"a/b","manifests":[]}'],
    parse: (input) => gcLabels(parseManifest(input, "")),
    errors: [RegistryError],
    tokens: ['"digest":', '"layers":', "null", "{}", '"__proto__":{}', '"mediaType":3'],
    grows: [around('{"mediaType":"a","layers":[{}', `,{"digest":"${digest}"}`, "]}")],
  }),
  hostileParser({
    name: "spans in json",
    corpus: [spansJson],
    parse: (input) => decodeSpans(input, false),
    errors: [Error, SyntaxError],
    tokens: ['"attributes":', '"value":{}', "null", "[]", '"1e999"', "-1", '"__proto__":{"a":1}'],
    grows: [around('{"resourceSpans":[{"resource":{"attributes":[0', ",{}", "]}}]}")],
  }),
  hostileParser({
    name: "spans in protobuf",
    corpus: [spansProtobuf],
    parse: (input) => decodeSpans(input, true),
    errors: [Error, WireError],
    grows: ["\n\u0000", "\n\u0002\n\u0000"],
  }),
  hostileParser({
    name: "snapshot of a cluster",
    corpus: [await snapshot()],
    parse: readSnapshot,
    errors: [CommandFailure],
  }),
  hostileParser({
    name: "terminal",
    corpus: [
      "plain\r\nwide 漢字 e\u0301 \t tab\u0007",
      "\u001b[1;31mred\u001b[0m\u001b[38;2;1;2;3m\u001b[2J\u001b[10;10H\u001b[?1049h\u001b[6n\u001b[c",
      "\u001b]0;title\u0007\u001b]8;;http://x\u001b\\link\u001b(0lqk\u001b(B\u001b[3;9r\u001b[5S",
    ],
    parse: readTerminal,
    errors: [],
    tokens: [
      ...["\u001b[", "\u001b]", "\u001bP", "\u001b\\", "\u009b", ";", "?", "\u0018"],
      ..."bSTLMPX@ZIABCDEFGd`arHJK".split("").map((final) => `\u001b[999999999${final}`),
    ],
    grows: [
      "\n",
      "\u001b[6n",
      "\u001b[",
      around("\u001b[", "1;", "m"),
      around("\u001b[", "9", "b"),
      around("\u001b]0;", "x"),
      "e\u0301",
      around("e", "\u0301"),
      ..."bSTLMPX@ZI".split("").map((final) => `x\u001b[99999${final}`),
    ],
    inputs: 300,
  }),
];
