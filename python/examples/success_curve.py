import hardhead

curve = hardhead.fewest_examples("nice:d=6,k=2,m=1", "gauss-newton", heads=1, least=8, most=10_000)
print(curve.examples, curve.low, curve.high)  # examples to success probability 0.5, and their 95% interval
curve.plot().figure.savefig("success_curve.svg")
