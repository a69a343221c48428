// Loaded before a program that has no option for the address it listens on: it stays on this machine.
import { Server } from 'node:net';

const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  if (!/^\d+$/.test(String(port))) return listen.call(this, port, ...rest);
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, ...rest.filter((one) => typeof one === 'function'));
};
