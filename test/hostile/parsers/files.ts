import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { type LinkRewriting, rewritePage } from "#/apiserver/proxy/rewrite-links.ts";
import { makeQuery } from "#/dns/wire/make-query.ts";
import { decodeQuery, MessageError } from "#/dns/wire/query.ts";
import { readAnswers } from "#/dns/wire/read-answers.ts";
import { encodeReply } from "#/dns/wire/reply.ts";
import { tarArchive } from "#/std/archive/tar.ts";
import { readTar, TarError } from "#/std/archive/tar-reader.ts";
import { type HostileParser, hostileParser } from "#/testing/hostile/hostile-parser.ts";
import { around, piecesOf } from "./growths.ts";

const query = makeQuery("web.default.svc.cluster.local", 1);
const withEdns = Buffer.concat([query, Buffer.of(0, 0, 41, 16, 0, 0, 0, 128, 0, 0, 0)]);
withEdns[11] = 1;
const reply = encodeReply(
  query,
  decodeQuery(query),
  {
    rcode: 0,
    authoritative: true,
    answers: [
      { name: "web.default.svc.cluster.local", ttl: 5, type: "CNAME", target: "a.b.c" },
      { name: "a.b.c", ttl: 5, type: "A", address: "10.0.0.1" },
      { name: "a.b.c", ttl: 5, type: "AAAA", address: "fd00::1" },
    ],
    authority: [],
    additional: [],
  },
  4096,
);

/** A reply with many records whose names are long chains of pointers. */
function pointerChain(bytes: number): Buffer {
  const steps = Math.min(4000, Math.floor(bytes / 8));
  const records = Math.floor(bytes / 24);
  const chain = Buffer.alloc(2 * steps);
  for (let at = 2; at < chain.length; at += 2) chain.writeUInt16BE(0xc000 + 15 + at, at);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc000 + 17 + chain.length - 2, 0);
  record.writeUInt16BE(5, 2);
  const head = Buffer.from([0, 0, 0x80, 0, 0, 1, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 1, 0, 1]);
  return Buffer.concat([head, chain, ...Array(records).fill(record)]);
}

const archive = tarArchive([
  { name: "folder/" },
  { name: "folder/file", content: Buffer.from("content") },
  { name: "link", linkTo: "folder/file" },
]);
const paxName = "27 path=folder/longer-name\n";
const pax = Buffer.concat([
  typed(tarArchive([{ name: "x", content: Buffer.from(paxName) }]).subarray(0, 1024), "x"),
  archive,
]);

/** An archive of one entry with another type, its checksum corrected. */
function typed(bytes: Buffer, type: string): Buffer {
  const changed = Buffer.from(bytes);
  changed.write(type, 156);
  changed.write(" ".repeat(8), 148);
  const sum = changed.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  changed.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return changed;
}

/** Headers with valid checksums, whatever else was changed: otherwise nothing passes the first check. */
function withChecksums(input: Buffer): Buffer {
  const changed = Buffer.from(input);
  for (let at = 0; at + 512 <= changed.length; at += 512) {
    const block = changed.subarray(at, at + 512);
    if (block.toString("latin1", 257, 262) === "ustar") typed(block, "").copy(block);
  }
  return changed;
}

async function readArchive(input: Buffer): Promise<number> {
  let bytes = 0;
  async function* chunks() {
    yield* piecesOf(withChecksums(input), 64);
  }
  for await (const { content } of readTar(chunks())) {
    for await (const part of content) bytes += part.length;
  }
  return bytes;
}

const page = `<html><a href="/x?y=1">b</a><img src='//h/c' srcset="a 1x"><!-- d --><script>"<"</script><form action=e>`;
const rewriting: LinkRewriting = {
  scheme: "https",
  host: "a:6443",
  prefix: "/api/v1/namespaces/a/pods/b/proxy",
  backendHost: "10.0.0.1",
  requestHost: "a:6443",
};

export const fileParsers: readonly HostileParser[] = [
  hostileParser({
    name: "dns query",
    corpus: [query, withEdns],
    parse: decodeQuery,
    errors: [MessageError],
    inputs: 500,
  }),
  hostileParser({
    name: "dns reply",
    corpus: [reply],
    parse: readAnswers,
    errors: [MessageError],
    grows: [pointerChain],
    inputs: 500,
  }),
  hostileParser({
    name: "tar",
    corpus: [archive, pax],
    parse: readArchive,
    errors: [TarError],
    tokens: ["ustar", "27 path=", "20 size=99999999999\n", "0 a=b\n", "-1", "x"],
    grows: [
      (bytes) =>
        Buffer.concat([
          typed(
            tarArchive([{ name: "x", content: Buffer.from("11 path=ab\n".repeat(bytes / 11)) }]),
            "x",
          ),
          archive,
        ]),
      (bytes) => tarArchive([{ name: "x", content: Buffer.alloc(bytes) }]),
    ],
    inputs: 300,
  }),
  hostileParser({
    name: "proxied page",
    corpus: [page],
    parse: (input) => rewritePage(input, "", rewriting),
    errors: [],
    tokens: ["<", "</", "<a href=", "<!--", "-->", "<script>", "'", '"', "=", ">"],
    grows: [
      "<",
      "<a ",
      "<!--",
      "<a href=",
      '<a href="',
      " ",
      "=",
      "'",
      "</",
      "<script>",
      "<a b ",
      around("<a ", "b "),
      around("<a href='", "/"),
    ],
    inputs: 200,
  }),
  hostileParser({
    name: "proxied page, compressed",
    corpus: [gzipSync(page)],
    parse: (input) => rewritePage(input, "gzip", rewriting),
    errors: [],
    inputs: 200,
  }),
];
