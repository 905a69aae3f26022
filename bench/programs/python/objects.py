class Account:
    def __init__(self, owner):
        self.owner, self.balance = owner, 0

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError(amount)
        self.balance += amount
        return self


def main():
    accounts = [Account(i) for i in range(200)]
    refused = 0
    for i in range(20000):
        try:
            accounts[i % 200].deposit(i % 50)
        except ValueError:
            refused += 1
    return refused, sum(account.balance for account in accounts)
