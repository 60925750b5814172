import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bucket, type Exchange, recordFile, runScenario } from "./scenario.ts";

/*
 * Records how moto (PyPI: moto[server]) answers: `node test/backup/record.ts http://127.0.0.1:5000`. Its bucket must be
 * empty.
 */
const [, , moto = "http://127.0.0.1:5000"] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "k8ts-record-s3-"));
const credentials = join(folder, "credentials");
writeFileSync(credentials, "[default]\naws_access_key_id = test\naws_secret_access_key = secret\n");
await fetch(`${moto}/${bucket}`, { method: "PUT" });

const exchanges: Exchange[] = [];
const proxy = createServer(async (request, response) => {
  const body = await bytesOf(request);
  const { method = "", url = "" } = request;
  const answer = await fetch(`${moto}${url}`, {
    method,
    headers: { authorization: request.headers.authorization ?? "" },
    ...(body.length > 0 && { body }),
  });
  const content = Buffer.from(await answer.arrayBuffer());
  const etag = answer.headers.get("etag") ?? "";
  const isObject = method === "GET" && answer.ok && !url.includes("?");
  exchanges.push({
    request: {
      method,
      url,
      body: createHash("sha256").update(body).digest("hex"),
    },
    answer: { status: answer.status, etag, body: isObject ? content.length : content.toString() },
  });
  response.writeHead(answer.status, etag === "" ? {} : { etag });
  response.end(content);
});
await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
const { port } = proxy.address() as AddressInfo;
const lines = await runScenario(`http://127.0.0.1:${port}`, credentials);
proxy.closeAllConnections();
proxy.close();
writeFileSync(recordFile, `${JSON.stringify({ lines, exchanges }, undefined, 1)}\n`);
rmSync(folder, { recursive: true });

async function bytesOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.from(Buffer.concat(parts));
}
