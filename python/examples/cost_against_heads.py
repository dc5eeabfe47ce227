import hardhead

layers = [f"nice:d=6,k=2,m={m}" for m in (1, 2, 3, 4)]
costs = hardhead.compare(layers, ["gauss-newton"], seeds=5, examples=4000)
costs.plot("seconds", against="m").figure.savefig("cost_against_heads.svg")
