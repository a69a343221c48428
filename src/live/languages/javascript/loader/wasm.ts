// WebAssembly as a module, alike on every Node: only newer ones import it themselves.
interface WasmModule {
  new (bytes: Uint8Array): object;
  imports(module: object): readonly { readonly module: string }[];
  exports(module: object): readonly { readonly name: string }[];
}

const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: { readonly Module: WasmModule } };

/** Its exports by name, or the compiled module where it wants imports that are no modules. */
export function wasmModule(file: string, bytes: Uint8Array): string {
  const { Module } = WebAssembly;
  const module = new Module(bytes);
  const wanted = [...new Set(Module.imports(module).map((one) => one.module))];
  const read = `const module = new WebAssembly.Module(process.getBuiltinModule("fs").readFileSync(${JSON.stringify(file)}));`;
  if (!wanted.every((name) => /^(?:\.{1,2}\/|#|node:)/.test(name))) return `${read} export default module;`;
  const imports = wanted.map((name, at) => `import * as i${at} from ${JSON.stringify(name)};`).join('');
  const given = wanted.map((name, at) => `${JSON.stringify(name)}: i${at}`).join(', ');
  const names = Module.exports(module).map(({ name }) => name);
  const exported = names.map(
    (name, at) => `const e${at} = exports[${JSON.stringify(name)}]; export { e${at} as ${JSON.stringify(name)} };`,
  );
  const whole = names.includes('default') ? '' : 'export default exports;';
  return `${imports} ${read} const { exports } = new WebAssembly.Instance(module, { ${given} }); ${exported.join(' ')} ${whole}`;
}
