import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { logger } from "#/std/log/log.ts";
import { createServer } from "#/std/net/node-http.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { sendOverNetwork } from "../client/send.ts";
import { InstanceMetadataService } from "./imds.ts";
import { openCredentials } from "./open-credentials.ts";

const start = Date.parse("2025-01-01T00:00:00Z");
const inMinutes = (minutes: number): string => new Date(start + minutes * 60_000).toISOString();

const assumed = (action: string, id: string, minutes: number): string =>
  `<${action}Response><${action}Result><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${inMinutes(minutes)}</Expiration></Credentials></${action}Result></${action}Response>`;

type Serve = (path: string, request: Seen) => string | { readonly status: number };

interface Seen {
  readonly method: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A machine with services of AWS at one address, and an empty folder for files. */
async function machine(serve: Serve) {
  const seen: (Seen & { readonly path: string })[] = [];
  const server = createServer(async (request, response) => {
    const { method, headers, url: path = "" } = request;
    const arrived = { method, headers, body: (await buffer(request)).toString() };
    seen.push({ ...arrived, path });
    const answer = serve(path, arrived);
    response.writeHead(typeof answer === "string" ? 200 : answer.status);
    response.end(typeof answer === "string" ? answer : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), "aws-credentials-"));
  const clock = new FakeClock(start);
  const stop = new AbortController();
  return {
    seen,
    url,
    folder,
    clock,
    async open(environment: NodeJS.ProcessEnv = {}, roleArn = "", sourceArn = "") {
      const all = { HOME: folder, AWS_ENDPOINT_URL_STS: url, ...environment };
      const imds = new InstanceMetadataService({
        send: sendOverNetwork,
        clock,
        environment: { AWS_EC2_METADATA_SERVICE_ENDPOINT: url, ...environment },
      });
      const keys = await openCredentials({
        environment: all,
        imds,
        region: "us-west-2",
        send: sendOverNetwork,
        clock,
        log: logger("test"),
        signal: stop.signal,
        roleArn,
        sourceArn,
      });
      return async () => (await keys(stop.signal)).accessKeyId;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

const imdsKeys = (id: string, minutes: number): string =>
  JSON.stringify({
    Code: "Success",
    AccessKeyId: id,
    SecretAccessKey: "s",
    Token: "t",
    Expiration: inMinutes(minutes),
  });

function serveImds(keys: () => string): Serve {
  return (path, { method, headers }) => {
    if (path === "/latest/api/token" && method === "PUT") return "token-1";
    if (headers["x-aws-ec2-metadata-token"] !== "token-1") return { status: 401 };
    if (path === "/latest/meta-data/iam/security-credentials/") return "role-1";
    if (path === "/latest/meta-data/iam/security-credentials/role-1") return keys();
    return { status: 404 };
  };
}

test("openCredentials() takes the machine's role, with a token, and refreshes it before its end", async () => {
  let served = 0;
  await using local = await machine(serveImds(() => imdsKeys(`k${++served}`, served * 60)));
  const keys = await local.open();
  assert.equal(await keys(), "k1");
  await local.clock.advance(54 * 60_000);
  assert.equal(await keys(), "k1");
  await local.clock.advance(2 * 60_000);
  assert.deepEqual(await Promise.all([keys(), keys()]), ["k2", "k2"]);
  assert.equal(local.seen.filter(({ method }) => method === "PUT").length, 1);
});

test("openCredentials() uses keys to their end if they can't be refreshed", async () => {
  let isDown = false;
  const serve = serveImds(() => imdsKeys("k1", 60));
  await using local = await machine((path, seen) => (isDown ? { status: 500 } : serve(path, seen)));
  const keys = await local.open();
  assert.equal(await keys(), "k1");
  isDown = true;
  await local.clock.advance(57 * 60_000);
  assert.equal(await keys(), "k1");
  await local.clock.advance(4 * 60_000);
  await assert.rejects(keys(), {
    message:
      "operation error ec2imds: GetMetadata, http response error StatusCode: 500, request to EC2 IMDS failed",
  });
});

test("openCredentials() asks the metadata service nothing if it is disabled", async () => {
  await using local = await machine(() => ({ status: 500 }));
  const keys = await local.open({ AWS_EC2_METADATA_DISABLED: "true" });
  await assert.rejects(keys(), /access disabled to EC2 IMDS/);
  assert.equal(local.seen.length, 0);
});

test("openCredentials() takes a role by web identity, without a signature", async () => {
  await using local = await machine(() => assumed("AssumeRoleWithWebIdentity", "web", 60));
  const tokenFile = join(local.folder, "token");
  await writeFile(tokenFile, "jwt");
  const keys = await local.open({
    AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
    AWS_ROLE_ARN: "arn:aws:iam::1:role/w",
    AWS_ROLE_SESSION_NAME: "me",
  });
  assert.equal(await keys(), "web");
  assert.equal(
    local.seen[0]?.body,
    "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fw&RoleSessionName=me&WebIdentityToken=jwt",
  );
  assert.equal(local.seen[0]?.headers["authorization"], undefined);
});

test("openCredentials() takes the role of the cloud-config file with the other keys", async () => {
  await using local = await machine(() => assumed("AssumeRole", "role", 15));
  const environment = { AWS_ACCESS_KEY_ID: "base", AWS_SECRET_ACCESS_KEY: "s" };
  const keys = await local.open(environment, "arn:aws:iam::123456789012:role/x", "arn:source");
  assert.equal(await keys(), "role");
  const headers = local.seen[0]?.headers ?? {};
  assert.match(String(headers["authorization"]), /Credential=base\/20250101\/us-west-2\/sts\//);
  assert.match(String(headers["authorization"]), /x-amz-source-account;x-amz-source-arn/);
  assert.equal(headers["x-amz-source-account"], "123456789012");
  assert.match(
    local.seen[0]?.body ?? "",
    /&RoleSessionName=k8ts-1735689600000&DurationSeconds=900$/,
  );
});

test("openCredentials() refuses a role that is no ARN", async () => {
  await using local = await machine(() => "");
  await assert.rejects(local.open({}, "x"), {
    message: "unable to create sts v2 client: arn: invalid prefix",
  });
});

test("openCredentials() takes the role of a profile in the shared files", async () => {
  await using local = await machine(() => assumed("AssumeRole", "role", 15));
  const configFile = join(local.folder, "config");
  await writeFile(
    configFile,
    "[profile a]\nrole_arn=arn:aws:iam::1:role/a\nsource_profile=b\nexternal_id=e\n[profile b]\naws_access_key_id=base\naws_secret_access_key=s\n",
  );
  const keys = await local.open({ AWS_CONFIG_FILE: configFile, AWS_PROFILE: "a" });
  assert.equal(await keys(), "role");
  assert.match(local.seen[0]?.body ?? "", /&ExternalId=e$/);
});

test("openCredentials() runs the program of a profile", async () => {
  await using local = await machine(() => "");
  const configFile = join(local.folder, "config");
  const output = `{"Version":1,"AccessKeyId":"p","SecretAccessKey":"s"}`;
  await writeFile(configFile, `[default]\ncredential_process = echo '${output}'\n`);
  const keys = await local.open({ AWS_CONFIG_FILE: configFile });
  assert.equal(await keys(), "p");
});

test("openCredentials() asks the container's agent with its token", async () => {
  await using local = await machine((path, { headers }) =>
    path === "/v1" && headers["authorization"] === "secret"
      ? JSON.stringify({
          AccessKeyId: "c",
          SecretAccessKey: "s",
          Token: "t",
          Expiration: inMinutes(60),
        })
      : { status: 401 },
  );
  const tokenFile = join(local.folder, "token");
  await writeFile(tokenFile, "secret");
  const keys = await local.open({
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${local.url}/v1`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
  });
  assert.equal(await keys(), "c");
  const remote = await local.open({ AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://10.1.2.3/v1" });
  await assert.rejects(remote(), {
    message: 'invalid endpoint host, "10.1.2.3", only loopback/ecs/eks hosts are allowed',
  });
});

test("openCredentials() refuses malformed credentials of the machine", async () => {
  for (const body of [
    "",
    "[]",
    "{}",
    '{"Code":"Failed","Message":"m"}',
    '{"AccessKeyId":"a","SecretAccessKey":"b","Expiration":"x"}',
  ]) {
    await using local = await machine(serveImds(() => body));
    const keys = await local.open();
    await assert.rejects(keys(), /^Error: EC2 IMDS role role-1: /);
  }
});
