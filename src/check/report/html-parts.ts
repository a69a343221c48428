// What stands in every page of a report: its look, and the script behind its filters.

export const style = `
:root{color-scheme:light dark;font:15px/1.45 system-ui,sans-serif}
body{margin:0 auto;max-width:70rem;padding:1rem}
form{position:sticky;top:0;background:Canvas;padding:.6rem 0;border-bottom:1px solid #8885;display:flex;flex-wrap:wrap;gap:.8rem}
table{border-collapse:collapse}td,th{padding:.15rem .8rem .15rem 0;text-align:left}
ul{list-style:none;padding:0}li{border-left:4px solid #8885;margin:.3rem 0;padding-left:.7rem}
li.failed,h2.failed,tr.failed{border-color:#c33;color:#c33}li.warned{border-color:#b80}li.advice{border-color:#38c}
li.passed,h2.passed,tr.passed{border-color:#2a7}tr.passed{color:#2a7}
li.failed details *{color:CanvasText}pre{overflow-x:auto;background:#8881;padding:.5rem;white-space:pre-wrap;word-break:break-all}
[hidden]{display:none}`;

export const script = `
const form=document.getElementById('filter'),field=name=>form.querySelector('[name='+name+']');
const apply=()=>{const on=new Set([...form.querySelectorAll('[name=verdict]:checked')].map(b=>b.value));
const level=field('level').value,section=field('section').value,words=field('words').value.toLowerCase();let shown=0;
for(const li of document.querySelectorAll('li')){const{dataset:d}=li;
li.hidden=!on.has(d.verdict)||(level!==''&&d.level!==level)||(section!==''&&d.section!==section)||!li.textContent.toLowerCase().includes(words);
if(!li.hidden)shown++}
field('count').textContent=shown+' shown'};
form.addEventListener('input',apply);form.addEventListener('submit',e=>e.preventDefault());apply();`;
