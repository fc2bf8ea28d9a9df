package shop

import (
	"encoding/json"
	"fmt"
	"time"
)

type usersPage struct {
	Items  []user `json:"items"`
	Limit  int    `json:"limit"`
	Offset int    `json:"offset"`
	Total  int    `json:"total"`
}

type user struct {
	ID         int     `json:"id"`
	Name       string  `json:"name"`
	Email      string  `json:"email"`
	City       string  `json:"city"`
	Newsletter bool    `json:"newsletter"`
	Phone      *string `json:"phone"`
}

type ordersPage struct {
	Orders []order `json:"orders"`
}

type order struct {
	ID int `json:"id"`
	// PaymentID has 19 digits: more than a double can hold.
	PaymentID int64     `json:"payment_id"`
	Created   time.Time `json:"created_at"`
	Customer  customer  `json:"customer"`
	// Total is an amount of money with two decimals.
	Total json.Number `json:"total"`
	Lines []line      `json:"lines"`
	Tags  []string    `json:"tags"`
	Note  *string     `json:"note"`
}

type customer struct {
	ID      int     `json:"id"`
	Name    string  `json:"name"`
	Address address `json:"address"`
}

type address struct {
	City    string `json:"city"`
	Country string `json:"country"`
}

type line struct {
	SKU      string      `json:"sku"`
	Quantity int         `json:"quantity"`
	Price    json.Number `json:"price"`
}

type stockItem struct {
	Warehouse string `json:"warehouse"`
	SKU       string `json:"sku"`
	Quantity  int    `json:"quantity"`
	// Due is the date of the next delivery, null if it is unknown.
	Due *string `json:"due"`
}

type product struct {
	SKU   string      `json:"sku"`
	Name  string      `json:"name"`
	Price json.Number `json:"price"`
	cents int
}

func allProducts() []product {
	products := []product{
		{SKU: "MUG-01", Name: "Mug, large", cents: 1990},
		{SKU: "TEE-07", Name: "T-shirt", cents: 4500},
		{SKU: "PEN-03", Name: "Pen", cents: 250},
		{SKU: "BAG-12", Name: "Travelling bag", cents: 129900},
		{SKU: "CAP-05", Name: `Cap "Sunny"`, cents: 3305},
	}
	for i, product := range products {
		products[i].Price = money(product.cents)
	}
	return products
}

// allUsers returns 23 users: two full pages of ten and a short one.
func allUsers() []user {
	given := []string{"Alice", "Bruno", "Chloé", "Dana", "Emil"}
	family := []string{"Nováková", "O'Brien", "Smith", "García", "Weiß"}
	cities := []string{"Brno", "Praha", "Galway", "Sevilla"}
	users := make([]user, 23)
	for i := range users {
		first, last := given[i%len(given)], family[(i/len(given)+i)%len(family)]
		users[i] = user{
			ID:         i + 1,
			Name:       first + " " + last,
			Email:      fmt.Sprintf("user%02d@example.com", i+1),
			City:       cities[i%len(cities)],
			Newsletter: i%3 == 0,
		}
		if i%2 == 0 {
			users[i].Phone = new(fmt.Sprintf("+420 555 %03d", 100+i))
		}
	}
	return users
}

// allOrders returns 10 orders with ids from 1001: cursor pages of 4, 4 and 2.
func allOrders() []order {
	tags := [][]string{{"gift"}, {}, {"new customer", "express"}}
	notes := []string{"", "", "Leave it at the \"back\" door, please"}
	users, products := allUsers(), allProducts()
	start := time.Date(2026, time.March, 2, 8, 15, 0, 0, time.UTC)
	orders := make([]order, 10)
	for i := range orders {
		user := users[i*3%len(users)]
		lines, cents := orderLines(products, i)
		orders[i] = order{
			ID:        1001 + i,
			PaymentID: 9007199254740993017 + int64(i)*1_000_003,
			Created:   start.Add(time.Duration(i) * 31 * time.Hour),
			Customer:  customer{ID: user.ID, Name: user.Name, Address: address{City: user.City, Country: country(user.City)}},
			Total:     money(cents),
			Lines:     lines,
			Tags:      tags[i%len(tags)],
		}
		if note := notes[i%len(notes)]; note != "" {
			orders[i].Note = &note
		}
	}
	return orders
}

// orderLines returns the one to three lines of the i-th order, and their total in cents.
func orderLines(products []product, i int) (lines []line, cents int) {
	for n := range 1 + i%3 {
		product := products[(i+2*n)%len(products)]
		quantity := 1 + (i+n)%4
		lines = append(lines, line{SKU: product.SKU, Quantity: quantity, Price: product.Price})
		cents += quantity * product.cents
	}
	return lines, cents
}

func allStock() []stockItem {
	var stock []stockItem
	for w, warehouse := range []string{"brno", "galway"} {
		for p, product := range allProducts() {
			item := stockItem{Warehouse: warehouse, SKU: product.SKU, Quantity: (p*37 + w*11) % 90}
			if item.Quantity < 20 {
				item.Due = new(fmt.Sprintf("2026-04-%02d", 1+p+w))
			}
			stock = append(stock, item)
		}
	}
	return stock
}

func money(cents int) json.Number {
	return json.Number(fmt.Sprintf("%d.%02d", cents/100, cents%100))
}

func country(city string) string {
	switch city {
	case "Galway":
		return "IE"
	case "Sevilla":
		return "ES"
	default:
		return "CZ"
	}
}
