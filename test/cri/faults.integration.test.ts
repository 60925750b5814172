import { runtimeFaults } from "./faults.contract.ts";

runtimeFaults({ name: "containerd" });
