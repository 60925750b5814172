import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect, createServer, type PeerCertificate, type TlsOptions } from "node:tls";
import { promisify } from "node:util";
import { parseFlags } from "#/std/flags/flags.ts";
import { systemClock } from "#/std/time/clock.ts";
import { tlsSettings } from "#/std/tls/tls-settings.ts";
import { makeSelfSigned } from "#/std/x509/self-signed.ts";
import { apiServerFlags } from "../flags/index.ts";
import { openTls } from "./open-tls.ts";

const flagsOf = (...args: string[]) => parseFlags(apiServerFlags, args).values;

async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "tls-"));
  try {
    await run(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The certificate of a server with these options. */
async function shownBy(options: TlsOptions, servername: string): Promise<PeerCertificate> {
  const server = createServer(options);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, servername, rejectUnauthorized: false });
  await new Promise((resolve, reject) =>
    socket.once("secureConnect", resolve).once("error", reject),
  );
  const certificate = socket.getPeerCertificate();
  socket.destroy();
  server.close();
  return certificate;
}

test("makeSelfSigned() makes a certificate that its own key signed", () => {
  const names = ["localhost", "127.0.0.1", "::1"];
  const made = makeSelfSigned({ commonName: "host", names, now: Date.UTC(2026, 0, 1) });
  const certificate = new X509Certificate(made.certificate);
  assert.ok(certificate.verify(certificate.publicKey));
  assert.equal(certificate.subject, "CN=host");
  assert.ok(certificate.ca);
  assert.equal(certificate.checkHost("localhost"), "localhost");
  assert.equal(certificate.checkIP("127.0.0.1"), "127.0.0.1");
  assert.equal(certificate.validToDate.getTime(), Date.UTC(2027, 0, 1));
});

test("openTls() makes a certificate if none is given, and uses it again", async () => {
  await inDirectory(async (directory) => {
    const flags = flagsOf(`--cert-dir=${directory}`);
    using first = await openTls(flags, systemClock);
    using second = await openTls(flags, systemClock);
    assert.deepEqual(first.options.cert, second.options.cert);
    assert.equal((await stat(join(directory, "apiserver.key"))).mode & 0o777, 0o600);
  });
});

test("openTls() uses the certificate for the server name of the client", async () => {
  await inDirectory(async (directory) => {
    const write = async (name: string, names: string[]) => {
      const made = makeSelfSigned({ commonName: name, names, now: systemClock.now() });
      await writeFile(join(directory, `${name}.crt`), made.certificate);
      await writeFile(join(directory, `${name}.key`), made.key);
      return join(directory, name);
    };
    const plain = await write("plain", ["localhost"]);
    const other = await write("other", ["a.example.com", "*.example.org"]);
    const third = await write("third", []);
    using tls = await openTls(
      flagsOf(
        `--tls-cert-file=${plain}.crt`,
        `--tls-private-key-file=${plain}.key`,
        `--tls-sni-cert-key=${other}.crt,${other}.key`,
        `--tls-sni-cert-key=${third}.crt,${third}.key:b.example.com`,
      ),
      systemClock,
    );
    const cases = [
      ["localhost", "plain"],
      ["a.example.com", "other"],
      ["x.example.org", "other"],
      ["b.example.com", "third"],
    ];
    for (const [name = "", shown] of cases) {
      assert.equal((await shownBy(tls.options, name)).subject.CN, shown);
    }
  });
});

for (const named of [false, true]) {
  test(`openTls() sends the client authorities in the handshake${named ? ", for any server name" : ""}`, async () => {
    await inDirectory(async (directory) => {
      const write = async (name: string) => {
        const made = makeSelfSigned({
          commonName: name,
          names: ["x.example"],
          now: systemClock.now(),
        });
        await writeFile(join(directory, `${name}.crt`), made.certificate);
        await writeFile(join(directory, `${name}.key`), made.key);
        return join(directory, name);
      };
      const [own, clients, proxies] = [
        await write("own"),
        await write("clients"),
        await write("proxies"),
      ];
      using tls = await openTls(
        flagsOf(
          `--tls-cert-file=${own}.crt`,
          `--tls-private-key-file=${own}.key`,
          `--client-ca-file=${clients}.crt`,
          `--requestheader-client-ca-file=${proxies}.crt`,
          ...(named ? [`--tls-sni-cert-key=${own}.crt,${own}.key`] : []),
        ),
        systemClock,
      );
      const server = createServer(tls.options, (socket) => socket.end());
      await once(server.listen(0, "127.0.0.1"), "listening");
      const { port } = server.address() as AddressInfo;
      const args = ["s_client", "-connect", `127.0.0.1:${port}`, "-servername", "x.example"];
      const { stdout } = await promisify(execFile)("openssl", args);
      server.close();
      const [, list = ""] =
        /Acceptable client certificate CA names\n((?:.*CN.*\n)+)/.exec(stdout) ?? [];
      assert.deepEqual(list.trim().split("\n"), ["CN = clients", "CN = proxies"]);
    });
  });
}

test("openTls() reports changes of files", async () => {
  await inDirectory(async (directory) => {
    const write = async (commonName: string) => {
      const made = makeSelfSigned({ commonName, names: [], now: systemClock.now() });
      await writeFile(join(directory, "x.key"), made.key);
      await writeFile(join(directory, "x.crt"), made.certificate);
    };
    await write("before");
    const files = [join(directory, "x.crt"), join(directory, "x.key")];
    const flags = flagsOf(`--tls-cert-file=${files[0]}`, `--tls-private-key-file=${files[1]}`);
    using tls = await openTls(flags, systemClock);
    const changed = Promise.withResolvers<TlsOptions>();
    tls.onChange(changed.resolve);
    await write("after");
    const options = await changed.promise;
    assert.equal(new X509Certificate(options.cert as Buffer).subject, "CN=after");
  });
});

test("tlsSettings() reads versions and cipher suites by Go's names", () => {
  const suites = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256";
  const settings = tlsSettings(
    flagsOf("--tls-min-version=VersionTLS13", `--tls-cipher-suites=${suites}`),
  );
  assert.equal(settings.minVersion, "TLSv1.3");
  assert.ok(settings.ciphers?.endsWith(":ECDHE-RSA-AES128-GCM-SHA256"));
  assert.equal(tlsSettings(flagsOf()).minVersion, "TLSv1.2");
  assert.throws(() => tlsSettings(flagsOf("--tls-min-version=X")), /unknown tls version/);
  assert.throws(() => tlsSettings(flagsOf("--tls-cipher-suites=X")), /not supported/);
});
