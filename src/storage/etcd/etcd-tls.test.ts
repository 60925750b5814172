import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { service, unary } from "#/std/grpc/grpc.ts";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { serviceClient } from "#/std/grpc/grpc-client.ts";
import { message, nested } from "#/std/protobuf/protobuf.ts";
import { bool, bytes, enumeration, string } from "#/std/protobuf/protobuf-field.ts";
import { type CertificateFiles, TestAuthority } from "#/testing/certificates.ts";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";
import { AccessDeniedError, UnavailableError } from "../base/storage.ts";
import { WatchReader } from "../contract/under-test.contract.ts";
import { type EtcdOptions, EtcdStorage } from "./etcd-storage.ts";

/** Upstream: etcd api/etcdserverpb/rpc.proto, api/authpb/auth.proto. */
const Empty = message({});
const Named = message({ name: string(1) });
const Permission = message({
  type: enumeration(1, { READ: 0, WRITE: 1, READWRITE: 2 }),
  key: string(2),
  rangeEnd: bytes(3),
});
const Auth = service("etcdserverpb.Auth", {
  AuthEnable: unary(Empty, Empty),
  UserAdd: unary(
    message({ name: string(1), options: nested(3, message({ noPassword: bool(1) })) }),
    Empty,
  ),
  UserGrantRole: unary(message({ user: string(1), role: string(2) }), Empty),
  RoleAdd: unary(Named, Empty),
  RoleGrantPermission: unary(
    message({ name: string(1), permission: nested(2, Permission) }),
    Empty,
  ),
});

describe("etcd with client certificates", { timeout: 60_000 }, () => {
  let directory: string;
  let authority: TestAuthority;
  let server: CertificateFiles;
  let cluster: EtcdCluster;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "k8ts-tls-"));
    authority = await TestAuthority.create(directory);
    server = await authority.issue("server");
    await authority.issue("root");
    await authority.issue("limited");
    cluster = await EtcdCluster.start({
      scheme: "https",
      flags: [
        "--client-cert-auth",
        `--trusted-ca-file=${authority.caFile}`,
        `--cert-file=${server.certFile}`,
        `--key-file=${server.keyFile}`,
      ],
    });
  });
  after(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  /** Opens the storage with the certificate of this name, or none. */
  function open(name?: string, options: Partial<EtcdOptions> = {}): Promise<EtcdStorage> {
    const { caFile } = authority;
    const own = name && {
      certFile: join(directory, `${name}.crt`),
      keyFile: join(directory, `${name}.key`),
    };
    return EtcdStorage.open({
      endpoints: cluster.endpoints,
      tls: { caFile, ...(own || {}) },
      ...options,
    });
  }

  test("serves clients with a certificate, by IP address and by name", async () => {
    const byName = cluster.endpoints.map((endpoint) => endpoint.replace("127.0.0.1", "localhost"));
    for (const endpoints of [cluster.endpoints, byName]) {
      await using storage = await open("root", { endpoints });
      const { done } = await storage.put("/registry/a", Buffer.from("1"), { expect: "any" });
      assert.ok(done);
    }
  });

  test("is unavailable to clients without one, with a clear error", async () => {
    await using storage = await open(undefined, { requestTimeoutMs: 300 });
    await assert.rejects(storage.revision(), UnavailableError);
  });

  test("is refused when its certificate is of another CA", async () => {
    const elsewhere = await mkdtemp(join(directory, "other-"));
    const { caFile } = await TestAuthority.create(elsewhere);
    await using storage = await open("root", { tls: { caFile }, requestTimeoutMs: 300 });
    await assert.rejects(storage.revision(), (error) => {
      assert.ok(error instanceof UnavailableError);
      assert.match(error.message, /certificate/);
      return true;
    });
  });

  test("continues when all certificates are replaced", async () => {
    await using storage = await open("root");
    const after = await storage.revision();
    using watch = new WatchReader(storage, "/registry/", after);
    await storage.put("/registry/a", Buffer.from("1"), { expect: "any" });
    await watch.take(1);
    const old = await readFile(authority.caFile);
    authority = await TestAuthority.create(directory);
    for (const name of ["server", "root", "limited"]) await authority.issue(name);
    assert.notDeepEqual(await readFile(authority.caFile), old);
    await cluster.members[0]?.kill();
    await cluster.members[0]?.start();
    await storage.put("/registry/a", Buffer.from("2"), { expect: "any" });
    assert.equal((await watch.take(1)).length, 1);
  });

  test("reports access denied for a key outside the role", async () => {
    await limitUser();
    await using storage = await open("limited");
    const inside = await storage.put("/registry/x", Buffer.from("1"), { expect: "any" });
    assert.ok(inside.done);
    await storage.health();
    const outside = storage.put("/other/x", Buffer.from("1"), { expect: "any" });
    await assert.rejects(outside, AccessDeniedError);
    await assert.rejects(storage.get("/other/x"), AccessDeniedError);
    await assert.rejects(storage.range("/"), AccessDeniedError);
    using watch = new WatchReader(storage, "/other/", inside.revision);
    await assert.rejects(watch.next(), AccessDeniedError);
  });

  /** Restricts the user "limited" to /registry/. */
  async function limitUser(): Promise<void> {
    const tls = {
      ca: await readFile(authority.caFile),
      cert: await readFile(join(directory, "root.crt")),
      key: await readFile(join(directory, "root.key")),
    };
    const channel = openChannel({ address: cluster.endpoints[0] ?? "", tls });
    const auth = serviceClient(Auth, channel);
    const permission = {
      type: "READWRITE",
      key: "/registry/",
      rangeEnd: Buffer.from("/registry0"),
    } as const;
    await auth.RoleAdd({ name: "root" });
    await auth.RoleAdd({ name: "limited" });
    await auth.RoleGrantPermission({ name: "limited", permission });
    for (const name of ["root", "limited"]) {
      await auth.UserAdd({ name, options: { noPassword: true } });
      await auth.UserGrantRole({ user: name, role: name });
    }
    await auth.AuthEnable({});
    channel.close();
  }
});
