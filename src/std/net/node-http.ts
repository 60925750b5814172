/**
 * node:http. Importing that as a module makes Node load its WebSocket client too, of which nobody here makes use and which
 * takes longer than everything else of it.
 */
export const { Agent, createServer, request, ServerResponse } =
  process.getBuiltinModule("node:http");
