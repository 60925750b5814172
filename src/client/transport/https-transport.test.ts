import { HttpsTransport } from "./https-transport.ts";
import { networkTransportContract } from "./network-transport.contract.ts";

networkTransportContract("HttpsTransport", (options) => new HttpsTransport(options));
