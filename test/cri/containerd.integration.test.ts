import { runtimeContract } from "./runtime.contract.ts";
import { containerd1 } from "./tested-runtimes.ts";

runtimeContract(containerd1);
