import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const launcher = fileURLToPath(new URL("../../k8ts", import.meta.url));

/** Calls the completion function of a TAB, with words as bash splits them, and prints its suggestions. */
const driver = `source <(kubectl completion bash)
complete -p kubectl
press_tab() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=9 COMPREPLY=()
    __start_kubectl
    local IFS='|'
    printf '%s\\n' "\${COMPREPLY[*]}"
}
press_tab kubectl ge
press_tab kubectl uncordon --dr
press_tab kubectl get --output = jsonpath-
press_tab kubectl config use-context a
press_tab kubectl apply -f so
press_tab kubectl rollout res
shopt -s expand_aliases
alias k=kubectl
complete -o default -F __start_kubectl k
complete -p k
press_tab k rollout und
press_tab k get --output = go-template-
`;

test("completion bash makes bash complete command lines", async () => {
  const root = await mkdtemp(join(tmpdir(), "completion-"));
  try {
    await mkdir(join(root, ".kube"));
    await Promise.all([
      symlink(launcher, join(root, "kubectl")),
      writeFile(join(root, "some.yaml"), ""),
      writeFile(join(root, "other.txt"), ""),
      writeFile(
        join(root, ".kube", "config"),
        "contexts: [{name: admin, context: {}}, {name: build, context: {}}]",
      ),
    ]);
    const { stdout } = await promisify(execFile)("bash", ["--norc", "-c", driver], {
      cwd: root,
      env: { HOME: root, PATH: `${root}:/usr/bin:/bin` },
    });
    assert.deepEqual(stdout.split("\n"), [
      "complete -F __start_kubectl kubectl",
      "get",
      "--dry-run",
      "jsonpath-as-json|jsonpath-file",
      "admin",
      "some.yaml",
      "restart  (Restart a resource)|resume   (Resume a paused resource)",
      "complete -o default -F __start_kubectl k",
      "undo",
      "go-template-file",
      "",
    ]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
