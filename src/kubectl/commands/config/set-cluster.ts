/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/config/set_cluster.go. */
import { existsSync, readFileSync } from "node:fs";
import type { Cluster } from "#/client/kubeconfig/kubeconfig.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { KubeconfigAccess } from "./kubeconfig-access.ts";
import { unexpectedArgs } from "./unexpected-args.ts";

const flags = {
  server: { type: "string", help: "URL of the API server" },
  "tls-server-name": {
    type: "string",
    help: "Name to expect in the server's certificate, instead of the host in the URL",
  },
  "insecure-skip-tls-verify": {
    type: "bool",
    help: "Do not check the server's certificate",
  },
  "certificate-authority": {
    type: "string",
    help: "File with the certificates of the authority that signs the server's certificate",
  },
  "embed-certs": {
    type: "bool",
    help:
      "Store the content of the certificate authority file in the kubeconfig, instead of " +
      "its path",
  },
  "proxy-url": { type: "string", help: "Proxy through which the server is reached" },
} satisfies FlagSet;

/** `kubectl config set-cluster`. */
export const setCluster = command({
  usage:
    "set-cluster NAME [--server=server] [--certificate-authority=path/to/certificate/authority] [--insecure-skip-tls-verify=true] [--tls-server-name=example.com]",
  flags,
  async run(invocation, context) {
    const { args } = invocation;
    const [name] = args;
    if (name === undefined || args.length !== 1) throw await unexpectedArgs(args, context);
    check(name, invocation, context);
    const access = await KubeconfigAccess.open(context);
    const cluster = changed(access.find("clusters", name)?.cluster ?? {}, invocation, context);
    await access.put("clusters", { name, cluster });
    context.out.write(`Cluster ${goQuote(name)} set.\n`);
  },
});

function check(name: string, { flags: values }: Invocation<typeof flags>, context: Context): void {
  const file = values["certificate-authority"];
  if (name === "") throw new CommandError("you must specify a non-empty cluster name");
  if (values["insecure-skip-tls-verify"] && file !== "") {
    throw new CommandError(
      "you cannot specify a certificate authority and insecure mode at the same time",
    );
  }
  if (!values["embed-certs"]) return;
  if (file === "") throw new CommandError("you must specify a --certificate-authority to embed");
  if (!existsSync(context.path(file))) {
    throw new CommandError(
      `could not stat certificate-authority file ${file}: stat ${file}: no such file or directory`,
    );
  }
}

function changed(
  old: Cluster,
  { flags: values, changed: given }: Invocation<typeof flags>,
  context: Context,
): Cluster {
  const cluster = { ...old };
  if (given.has("server")) {
    cluster.server = values.server;
    delete cluster["tls-server-name"];
  }
  if (given.has("tls-server-name")) cluster["tls-server-name"] = values["tls-server-name"];
  if (given.has("insecure-skip-tls-verify")) {
    cluster["insecure-skip-tls-verify"] = values["insecure-skip-tls-verify"];
    if (values["insecure-skip-tls-verify"]) {
      delete cluster["certificate-authority"];
      delete cluster["certificate-authority-data"];
    }
  }
  if (given.has("certificate-authority")) {
    const path = context.path(values["certificate-authority"]);
    delete cluster["insecure-skip-tls-verify"];
    if (values["embed-certs"]) {
      delete cluster["certificate-authority"];
      cluster["certificate-authority-data"] = readFileSync(path).toString("base64");
    } else {
      delete cluster["certificate-authority-data"];
      cluster["certificate-authority"] = path;
    }
  }
  if (given.has("proxy-url")) cluster["proxy-url"] = values["proxy-url"];
  return cluster;
}
