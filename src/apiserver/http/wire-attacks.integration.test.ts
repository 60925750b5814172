import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { connect } from "node:tls";
import { systemClock } from "#/std/time/clock.ts";
import { startTlsServer, type TlsServer } from "#/testing/start-tls-server.ts";

/** Bytes that hostile clients send. Each attempt is refused, and none blocks other clients. */

let server: TlsServer;
before(async () => {
  server = await startTlsServer();
});
after(() => server[Symbol.asyncDispose]());

const secrets = "/api/v1/namespaces/default/secrets";
/** Limit of an exchange (ms): far longer than one takes, even on a busy machine. */
const exchangeMs = 30_000;

async function open(): Promise<Socket> {
  const socket = connect({ port: server.port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  return socket;
}

/** All bytes until the server closes the connection: requests ask for that, or are refused with it. */
async function exchange(...parts: string[]): Promise<string> {
  const socket = await open();
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  let isInTime = true;
  using _limit = systemClock.setTimer(exchangeMs, () => {
    isInTime = false;
    socket.destroy();
  });
  for (const part of parts) socket.write(part);
  await new Promise((resolve) => socket.once("close", resolve));
  assert.ok(isInTime, `the server does not hang up after ${JSON.stringify(text)}`);
  return text;
}

const statuses = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code));
const admin = "Authorization: Bearer admintoken\r\n";
const bob = "Authorization: Bearer bobtoken\r\n";
const close = "Connection: close\r\n";
const get = (path: string, headers: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}${close}\r\n`;

test("a valid request is answered (the control for the tests below)", async () => {
  assert.deepEqual(statuses(await exchange(get(secrets, admin))), [200]);
});

const smuggled = get(secrets, admin);
const wire: readonly (readonly [name: string, bytes: string])[] = [
  [
    "a second request behind a length and an encoding that disagree",
    `POST ${secrets} HTTP/1.1\r\nHost: x\r\n${bob}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  ],
  [
    "two lengths",
    `POST ${secrets} HTTP/1.1\r\nHost: x\r\n${bob}Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  ],
  [
    "an encoding that is none",
    `POST ${secrets} HTTP/1.1\r\nHost: x\r\n${bob}Transfer-Encoding: xchunked\r\n\r\n${smuggled}`,
  ],
  ["a header folded onto the next line", get(secrets, `X-A: b\r\n ${admin}`)],
  ["a space before the colon", get(secrets, "Authorization : Bearer admintoken\r\n")],
  ["a NUL in a header", get(secrets, `X-A: \0\r\n${bob}`)],
];
for (const [name, bytes] of wire) {
  test(`nothing is smuggled by ${name}`, async () => {
    // The last request follows the attack and closes the connection.
    const text = await exchange(bytes, get("/livez", ""));
    const isRead = statuses(text).includes(200) && text.includes("SecretList");
    assert.equal(isRead, false, text);
  });
}

test("a second Authorization header is not tried", async () => {
  const text = await exchange(get(secrets, `${bob}${admin}`));
  assert.notEqual(statuses(text)[0], 200);
});

test("two Impersonate-User headers are refused", async () => {
  const headers = `${admin}Impersonate-User: bob\r\nImpersonate-User: admin\r\nImpersonate-Group: a\r\n`;
  const text = await exchange(get(secrets, headers));
  assert.notEqual(statuses(text)[0], 200);
});

test("headers of a front proxy are ignored from other clients", async () => {
  const forged = `X-Remote-User: admin\r\nX-Remote-Group: system:masters\r\nX_Remote_User: admin\r\n`;
  const text = await exchange(get(secrets, forged));
  assert.match(text, /403/);
  assert.match(text, /system:anonymous/);
});

test("a body over the limit is refused before it is read", async () => {
  const head = `POST ${secrets} HTTP/1.1\r\nHost: x\r\n${admin}${close}Content-Type: application/json\r\nContent-Length: ${4 * 1024 * 1024}\r\n\r\n`;
  assert.deepEqual(statuses(await exchange(head)), [413]);
});

test("an endless chunked body is refused at the limit", async () => {
  const head = `POST ${secrets} HTTP/1.1\r\nHost: x\r\n${admin}${close}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
  const text = await exchange(head, ...Array<string>(60).fill(chunk));
  assert.deepEqual(statuses(text), [413]);
});

test("headers over the limit are refused", async () => {
  const text = await exchange(get(secrets, `${admin}X-Long: ${"x".repeat(2 * 1024 * 1024)}\r\n`));
  assert.notEqual(statuses(text)[0], 200);
});

test("deep nesting and recursive aliases are refused", async () => {
  const send = (type: string, body: string) =>
    exchange(
      `POST ${secrets} HTTP/1.1\r\nHost: x\r\n${admin}${close}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  const deep = `{"metadata":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`;
  assert.deepEqual(statuses(await send("application/json", deep)), [400]);
  const laughs = Array.from(
    { length: 20 },
    (_, n) => `a${n}: &a${n} [${n ? `*a${n - 1},`.repeat(9) : "x"}]`,
  );
  assert.deepEqual(statuses(await send("application/yaml", laughs.join("\n"))), [400]);
});

test("five hundred clients that send nothing don't block another client", async () => {
  const idle: Socket[] = [];
  for (let n = 0; n < 500; n++) {
    const socket = connectTcp(server.port, "127.0.0.1");
    socket.on("error", () => undefined);
    idle.push(socket);
  }
  const slow = await Promise.all(Array.from({ length: 20 }, () => open()));
  for (const socket of slow) socket.write(`GET ${secrets} HTTP/1.1\r\nHost: x\r\nX-A: `);
  const started = systemClock.monotonicMs();
  assert.deepEqual(statuses(await exchange(get(secrets, admin))), [200]);
  assert.ok(systemClock.monotonicMs() - started < 2_000);
  for (const socket of [...idle, ...slow]) socket.destroy();
});
